/** Checks the API keys, their webhooks, the list of redactions, and Redis, which shares limits. */

import { AccessError } from "../access/key-database.ts";
import { type KeyRecord, stateOf } from "../access/key-store.ts";
import { hookState } from "../hooks/hook-access.ts";
import type { Hook } from "../hooks/hook-store.ts";
import { openAccess, redisVersion } from "../open-access.ts";
import { isWhole, type ListEntry } from "../redact/list.ts";
import { type Settings, shownValue } from "../settings/definitions.ts";
import { type Finding, ok, problem, someOf, warning } from "./findings.ts";

type Describe = (error: Error) => string;

export async function keyFindings(
  settings: Settings,
  now: number,
  describe: Describe,
): Promise<Finding[]> {
  const location = settings["keys-database"]?.shown ?? settings.data;
  const access = openAccess(settings, true);
  try {
    const records = (await access.keys.exists()) ? await access.keys.list() : [];
    const hooks = (await access.hooks.exists()) ? await access.hooks.list() : [];
    return [...judgeKeys(records, location, settings, now), ...judgeHooks(hooks, records, now)];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof AccessError) && code === undefined) throw error;
    return [problem("keys", describe(error as Error))];
  } finally {
    await access.close();
  }
}

/** Nothing is said about the list of redactions if it is whole. */
export function redactionFindings(list: readonly ListEntry[]): Finding[] {
  const damaged = list.filter((entry) => !isWhole(entry));
  if (damaged.length === 0) return [];
  const shards = [...new Set(damaged.map(({ shard }) => shard))];
  const message = `${damaged.length} on the list of redactions damaged, of shard ${someOf(shards)}`;
  const advice =
    "run 'matchbook redact SHARD', which replaces what is damaged by what the shard has";
  return [warning("redactions", message, advice)];
}

export function judgeKeys(
  records: readonly KeyRecord[],
  location: string,
  { tiers }: Pick<Settings, "tiers">,
  now: number,
): Finding[] {
  const live = records.filter((record) => stateOf(record, now) === "live");
  if (live.length === 0) {
    const advice = "create one with 'matchbook keys create', or check --data and keys-database";
    return [warning("keys", `no key in ${location} is valid: every request gets 401`, advice)];
  }
  const found = [ok("keys", `${live.length} of ${records.length} valid in ${location}`)];
  const known = new Set(tiers.map(({ name }) => name));
  const unknown = live.filter(({ tier }) => tier !== null && !known.has(tier));
  if (unknown.length > 0) {
    const list = someOf(unknown.map(({ id, tier }) => `${id} (${tier})`));
    const message = `the tier of ${list} does not exist: the first tier applies`;
    found.push(
      warning("keys", message, "define the tier, or 'matchbook keys change ID --tier TIER'"),
    );
  }
  return found;
}

/** Nothing is said about webhooks if there are none. */
export function judgeHooks(
  hooks: readonly Hook[],
  records: readonly KeyRecord[],
  now: number,
): Finding[] {
  if (hooks.length === 0) return [];
  const keys = new Map(records.map((record) => [record.id, record]));
  const inState = (...states: ReturnType<typeof hookState>[]) =>
    hooks
      .filter((hook) => states.includes(hookState(hook, keys.get(hook.keyId), now)))
      .filter(({ pausedBy }) => pausedBy !== "operator");
  const listed = (some: readonly Hook[]) => someOf(some.map(({ id }) => id));
  const [failing, paused] = [inState("failing"), inState("paused")];
  const keyless = inState("no-key", "key-revoked", "key-expired");
  const found = [ok("webhooks", `${inState("active").length} of ${hooks.length} active`)];
  if (failing.length > 0) {
    const message = `the receiver of ${listed(failing)} fails`;
    found.push(warning("webhooks", message, "'matchbook hooks show ID' has its last response"));
  }
  if (paused.length > 0) {
    const message = `${listed(paused)} paused, because the receiver failed for a day`;
    found.push(warning("webhooks", message, "fix it, then 'matchbook hooks resume ID'"));
  }
  if (keyless.length > 0) {
    const message = `nothing is delivered to ${listed(keyless)}: the key is not valid any more`;
    found.push(
      warning("webhooks", message, "'matchbook hooks remove ID', or add it with a valid key"),
    );
  }
  return found;
}

const OLDEST_REDIS = [6, 2] as const;

export async function redisFindings(settings: Settings): Promise<Finding[]> {
  if (settings.redis === "") return [];
  const shown = shownValue(settings, "redis");
  try {
    return [judgeRedis(shown, await redisVersion(settings.redis))];
  } catch (error) {
    const message = `${shown} is unavailable: ${(error as Error).message}`;
    const advice =
      "check that it runs and that the URL is correct; until then each instance has its own limits";
    return [problem("redis", message, advice)];
  }
}

export function judgeRedis(shown: string, version: string | undefined): Finding {
  const message = `${shown}, version ${version ?? "unknown"}`;
  const [major = 0, minor = 0] = (version ?? OLDEST_REDIS.join(".")).split(".").map(Number);
  const isOld = major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1]);
  return isOld
    ? problem("redis", message, `upgrade it to ${OLDEST_REDIS.join(".")} or later`)
    : ok("redis", message);
}
