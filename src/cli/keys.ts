/** `matchbook keys`: creates, lists, shows, changes, rotates and revokes API keys. */

import { describeKey } from "../access/describe-key.ts";
import { endOfPrevious, type KeyRecord, stateOf } from "../access/key-store.ts";
import { dayOf, requestsOf } from "../access/usage.ts";
import { VISITORS } from "../access/visitors.ts";
import { type AccessPlan, effectiveLimits } from "../domain/limits.ts";
import { formatTimestamp } from "../domain/time.ts";
import { accessPlan } from "../open-access.ts";
import { parseOverlap } from "../settings/key-options.ts";
import { CommandError, defineCommand, defineGroup, flagValue, UsageError } from "./command.ts";
import { ABOUT_OPTIONS, KEY_OPTIONS, keyOptionsOf, NAME, OPTION_FLAGS } from "./key-flags.ts";
import { show, unknownTiers } from "./key-show.ts";
import { existingKey, KEY, noKeysYet, withAccess } from "./key-store.ts";
import { age, table } from "./table.ts";

const settings = ["keys-database"] as const;
const SHOWN_ONCE = "Save the key now: only its hash is stored, and it cannot be shown again.";

const create = defineCommand<{ name: string }>({
  name: "create",
  description: `create a key and print only the key on standard output; it is shown once.\n${ABOUT_OPTIONS}`,
  required: NAME,
  options: KEY_OPTIONS,
  settings,
  examples: {
    "matchbook keys create --name stats-site": "a key in the first tier",
    "KEY=$(matchbook keys create --name crawler --tier community --rate 600)":
      "a key with a higher rate, in a variable",
    'matchbook keys create --name tournament --shards "*+beta" --expires 30d --note "ask Ana"':
      "a key for a closed shard too, valid for a month",
  },
  async run({ settings, flags }) {
    const now = Date.now();
    const options = { name: flags.name, ...keyOptionsOf(flags, settings, now) };
    const { key, record } = await withAccess(settings, "write", ({ keys }) =>
      keys.create(options, now),
    );
    const limits = limitsOf(accessPlan(settings), record);
    return {
      text: key,
      notes: [`Created key ${record.id} for "${record.name}": ${limits}.`, SHOWN_ONCE],
    };
  },
});

const change = defineCommand<Record<string, string>>({
  name: "change",
  description: `change the options of a key; running servers apply them within seconds.\n${ABOUT_OPTIONS}`,
  arguments: KEY,
  options: { ...NAME, ...KEY_OPTIONS },
  settings,
  examples: {
    "matchbook keys change k_3fGh7Kq0Zx --tier community": "move a key to another tier",
    "matchbook keys change k_3fGh7Kq0Zx --rate default --expires never":
      "use the rate of the tier, without expiry",
    'matchbook keys change k_3fGh7Kq0Zx --note ""': "remove the note",
  },
  async run({ settings, flags }, id: string) {
    const now = Date.now();
    const changes = keyOptionsOf(flags, settings, now);
    if (Object.keys(changes).length === 0) {
      throw new UsageError(`nothing to change: specify at least one of ${OPTION_FLAGS.join(", ")}`);
    }
    const record = await withAccess(settings, "write", async ({ keys }) => {
      await existingKey(settings, keys, id);
      return (await keys.change(id, changes))!;
    });
    const state = stateOf(record, now);
    const ended = state === "live" ? "" : ` It is ${state}.`;
    const limits = limitsOf(accessPlan(settings), record);
    return { none: `Changed key ${id} for "${record.name}": ${limits}.${ended}` };
  },
});

const rotate = defineCommand<{ overlap: string }>({
  name: "rotate",
  description:
    "create a new secret for a key and print only the secret on standard output; id and options stay.\n" +
    "The old secret remains valid for the overlap.",
  arguments: KEY,
  options: {
    "--overlap <DURATION>": [
      "how long the old secret remains valid: 30min, 24h, 7d; 0 ends it at once",
      "24h",
    ],
  },
  settings,
  examples: {
    "matchbook keys rotate k_3fGh7Kq0Zx": "a new secret; the old one is valid for 24 hours",
    "matchbook keys rotate k_3fGh7Kq0Zx --overlap 7d": "keep the old secret valid for a week",
    "matchbook keys rotate k_3fGh7Kq0Zx --overlap 0":
      "end the old secret at once, e.g. after a leak",
  },
  async run({ settings, flags }, id: string) {
    const overlapMs = flagValue("--overlap", flags.overlap, parseOverlap);
    const now = Date.now();
    const { key, record } = await withAccess(settings, "write", async ({ keys }) => {
      const before = await existingKey(settings, keys, id);
      const outcome = await keys.rotate(id, overlapMs, now);
      if (typeof outcome === "object") return outcome;
      const remedy =
        before.revokedAt === null
          ? `extend it first: 'matchbook keys change ${id} --expires 30d'`
          : "create a new one: 'matchbook keys create'";
      throw new CommandError(
        `${id} is ${stateOf(before, now)}; only a live key can be rotated; ${remedy}`,
      );
    });
    const end = endOfPrevious(record);
    const old = end <= now ? "has expired" : `is valid until ${formatTimestamp(end)}`;
    return {
      text: key,
      notes: [`Rotated key ${id} for "${record.name}". The old secret ${old}.`, SHOWN_ONCE],
    };
  },
});

const revoke = defineCommand({
  name: "revoke",
  description: "revoke a key permanently; running servers reject it within seconds",
  arguments: KEY,
  settings,
  examples: { "matchbook keys revoke k_3fGh7Kq0Zx": "revoke one key" },
  run: ({ settings }, id: string) =>
    withAccess(settings, "write", async ({ keys }) => {
      await existingKey(settings, keys, id);
      const outcome = await keys.revoke(id, Date.now());
      return { none: outcome === "revoked" ? `Revoked ${id}.` : `${id} is already revoked.` };
    }),
});

const list = defineCommand({
  name: "list",
  description:
    "list all keys, those with the most requests today (UTC) first, including revoked and expired ones; secrets are not stored",
  json: "print one JSON array",
  settings: ["keys-database", "rate", "matches-per-day"],
  examples: { "matchbook keys list --json": "print JSON with all details" },
  run: ({ settings }) =>
    withAccess(settings, "read", async ({ keys, usage }) => {
      const plan = accessPlan(settings);
      const now = Date.now();
      const lastSeen = await usage.lastSeen();
      const today = await usage.read(dayOf(now));
      const requests = new Map(today.map((day) => [day.keyId, requestsOf(day)]));
      const requestsToday = ({ id }: { id: string }) => requests.get(id) ?? 0;
      const records = (await keys.list()).sort(
        (one, other) => requestsToday(other) - requestsToday(one),
      );
      const rows = records.map((one) => {
        const seen = lastSeen.get(one.id);
        const used = seen === undefined ? "never" : age(now - seen);
        return [...cellsOf(one, plan, now), String(requestsToday(one)), used];
      });
      const visits = requestsToday(VISITORS);
      return {
        json: records.map((one) => ({
          ...describeKey(one, plan, lastSeen.get(one.id), now),
          requestsToday: requestsToday(one),
        })),
        text: rows.length > 0 ? table([LIST_HEAD, ...rows]) : "",
        none: noKeysYet(settings),
        notes: [
          ...(visits > 0 ? [`Portal visitors have sent ${visits} requests today.`] : []),
          ...unknownTiers(plan, records),
        ],
      };
    }),
});

const LIST_HEAD = [
  "ID",
  "NAME",
  "TIER",
  "RATE",
  "MATCHES/DAY",
  "STATE",
  "EXPIRES",
  "REQUESTS TODAY",
  "LAST USED",
];

function cellsOf(record: KeyRecord, plan: AccessPlan, now: number): string[] {
  const { tier, rate, matchesPerDay } = effectiveLimits(plan, record.tier, record);
  return [
    record.id,
    record.name,
    record.tier === null || record.tier === tier ? tier : `${record.tier} (${tier})`,
    String(rate),
    matchesPerDay === 0 ? "unlimited" : String(matchesPerDay),
    stateOf(record, now),
    expiryOf(record),
  ];
}

const expiryOf = ({ expiresAt }: KeyRecord): string =>
  expiresAt === null ? "never" : formatTimestamp(expiresAt);

/** The limits of a key in one line. */
function limitsOf(plan: AccessPlan, record: KeyRecord): string {
  const limits = effectiveLimits(plan, record.tier, record);
  const quota = limits.matchesPerDay === 0 ? "unlimited" : limits.matchesPerDay;
  return `tier ${limits.tier}, ${limits.rate} requests per minute, burst ${limits.burst}, ${quota} matches per day, shards ${limits.shards.join("+")}, expires ${expiryOf(record)}`;
}

export const keys = defineGroup(
  {
    name: "keys",
    description: "create, list, change, rotate and revoke API keys, and show their usage",
    examples: {
      "matchbook keys create --name stats-site": "create a key",
      "matchbook keys list": "list all keys",
    },
  },
  [create, list, show, change, rotate, revoke],
);
