/** Checks the API keys, what features store beside them, the list of redactions, and Redis, which shares limits. */

import { AccessError } from "../access/key-database.ts";
import { type KeyRecord, stateOf } from "../access/key-store.ts";
import { closing } from "../domain/awaitable.ts";
import { FEATURES } from "../features/list.ts";
import { openAccess, ownServices, redisProblem } from "../open-access.ts";
import { isWhole, type ListEntry } from "../redact/list.ts";
import { type Settings, shownValue } from "../settings/definitions.ts";
import { describeError } from "../text/system-errors.ts";
import { type Finding, ok, problem, someOf, warning } from "./findings.ts";

export async function keyFindings(settings: Settings, now: number): Promise<Finding[]> {
  const location = settings["keys-database"]?.shown ?? settings.data;
  await using access = closing(openAccess(settings, true));
  try {
    const records = await access.keys.list();
    const found = judgeKeys(records, location, settings, now);
    const services = ownServices(settings, access, NO_SHARDS);
    for (const { name, operated } of FEATURES) {
      if (operated) found.push(...(await operated.findings(services.get(name)!, now)));
    }
    return found;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof AccessError) && code === undefined) throw error;
    return [problem("keys", describeError(error as Error))];
  }
}

/** They are examined elsewhere. */
const NO_SHARDS = { list: () => [], reader: () => undefined };

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

export async function redisFindings(settings: Settings): Promise<Finding[]> {
  if (settings.redis === "") return [];
  const shown = shownValue(settings, "redis");
  const reason = await redisProblem(settings.redis);
  if (!reason) return [ok("redis", shown)];
  const advice =
    "check that it runs and that the URL is correct; until then each instance has its own limits";
  return [problem("redis", `${shown} is unavailable: ${reason.message}`, advice)];
}
