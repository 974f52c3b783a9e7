/** `matchbook keys`: creates, lists, shows, changes, rotates and revokes API keys. */

import type { Command } from "commander";
import { describeKey } from "../access/describe-key.ts";
import { endOfPrevious, type KeyRecord, stateOf } from "../access/key-store.ts";
import { type AccessPlan, effectiveLimits } from "../domain/limits.ts";
import { formatTimestamp } from "../domain/time.ts";
import { accessPlan } from "../open-access.ts";
import type { Settings } from "../settings/definitions.ts";
import { parseOverlap } from "../settings/key-options.ts";
import {
  type AddCommand,
  CommandError,
  flagValue,
  note,
  print,
  settingsOf,
  UsageError,
  withExamples,
  withSettings,
} from "./command.ts";
import { keyOptionsOf, OPTION_FLAGS, warnOfUnknownShards, withKeyOptions } from "./key-flags.ts";
import { addShow, warnOfUnknownTiers } from "./key-show.ts";
import { KEY_ID, noKeysYet, readKeys, readLastSeen, withKey, withKeys } from "./key-store.ts";
import { addUsage } from "./key-usage.ts";
import { age, table } from "./table.ts";

const SHOWN_ONCE = "Save the key now: only its hash is stored, and it cannot be shown again.";

export const keys: AddCommand = (program) => {
  const group = program
    .command("keys")
    .description("create, list, change, rotate and revoke API keys, and show their usage");
  withSettings(group, ["keys-database"]);
  withExamples(group, [
    ["matchbook keys create --name stats-site", "create a key"],
    ["matchbook keys list", "list all keys"],
    ["matchbook keys usage", "show the usage of all keys"],
  ]);
  // In the order of the help.
  for (const add of [addCreate, addList, addShow, addChange, addRotate, addRevoke, addUsage]) {
    add(group);
  }
};

function addCreate(group: Command): void {
  const command = group
    .command("create")
    .description("create a key and print only the key on standard output; it is shown once")
    .action(async (flags: { name: string }) => {
      const { values } = settingsOf(command);
      const now = Date.now();
      const options = { name: flags.name, ...keyOptionsOf(command, values, now) };
      const { key, record } = await withKeys(values, (keys) => keys.create(options, now));
      print(key);
      note(`Created key ${record.id} for "${record.name}": ${limitsOf(values, record)}.`);
      note(SHOWN_ONCE);
      warnOfUnknownShards(options, values);
    });
  withKeyOptions(command, { isNew: true });
  withSettings(command, ["keys-database"]);
  withExamples(command, [
    ["matchbook keys create --name stats-site", "a key in the first tier"],
    [
      "KEY=$(matchbook keys create --name crawler --tier community --rate 600)",
      "a key with a higher rate, in a variable",
    ],
    [
      'matchbook keys create --name tournament --shards "*+beta" --expires 30d --note "ask Ana"',
      "a key for a closed shard too, valid for a month",
    ],
  ]);
}

function addChange(group: Command): void {
  const command = group
    .command("change")
    .description("change the options of a key; running servers apply them within seconds")
    .argument("<id>", KEY_ID)
    .action(async (id: string) => {
      const { values } = settingsOf(command);
      const now = Date.now();
      const changes = keyOptionsOf(command, values, now);
      if (Object.keys(changes).length === 0) {
        throw new UsageError(
          `nothing to change: specify at least one of ${OPTION_FLAGS.join(", ")}`,
        );
      }
      const record = await withKey(values, id, async (keys) => (await keys.change(id, changes))!);
      const state = stateOf(record, now);
      const ended = state === "live" ? "" : ` It is ${state}.`;
      note(`Changed key ${id} for "${record.name}": ${limitsOf(values, record)}.${ended}`);
      warnOfUnknownShards(changes, values);
    });
  withKeyOptions(command, { isNew: false });
  withSettings(command, ["keys-database"]);
  withExamples(command, [
    ["matchbook keys change k_3fGh7Kq0Zx --tier community", "move a key to another tier"],
    [
      "matchbook keys change k_3fGh7Kq0Zx --rate default --expires never",
      "use the rate of the tier, without expiry",
    ],
    ['matchbook keys change k_3fGh7Kq0Zx --note ""', "remove the note"],
  ]);
}

function addRotate(group: Command): void {
  const command = group
    .command("rotate")
    .summary("create a new secret for a key")
    .description(
      "create a new secret for a key and print only the secret on standard output; id and options stay.\n" +
        "The old secret remains valid for the overlap.",
    )
    .argument("<id>", KEY_ID)
    .option(
      "--overlap <DURATION>",
      "how long the old secret remains valid: 30min, 24h, 7d; 0 ends it at once",
      "24h",
    )
    .action(async (id: string, flags: { overlap: string }) => {
      const overlapMs = flagValue("--overlap", flags.overlap, parseOverlap);
      const { values } = settingsOf(command);
      const now = Date.now();
      const { key, record } = await withKey(values, id, async (keys, before) => {
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
      print(key);
      note(`Rotated key ${id} for "${record.name}". The old secret ${old}.`);
      note(SHOWN_ONCE);
    });
  withSettings(command, ["keys-database"]);
  withExamples(command, [
    ["matchbook keys rotate k_3fGh7Kq0Zx", "a new secret; the old one is valid for 24 hours"],
    ["matchbook keys rotate k_3fGh7Kq0Zx --overlap 7d", "keep the old secret valid for a week"],
    [
      "matchbook keys rotate k_3fGh7Kq0Zx --overlap 0",
      "end the old secret at once, e.g. after a leak",
    ],
  ]);
}

function addRevoke(group: Command): void {
  const command = group
    .command("revoke")
    .description("revoke a key permanently; running servers reject it within seconds")
    .argument("<id>", KEY_ID)
    .action(async (id: string) => {
      const { values } = settingsOf(command);
      const outcome = await withKey(values, id, (keys) => keys.revoke(id, Date.now()));
      note(outcome === "revoked" ? `Revoked ${id}.` : `${id} is already revoked.`);
    });
  withSettings(command, ["keys-database"]);
  withExamples(command, [["matchbook keys revoke k_3fGh7Kq0Zx", "revoke one key"]]);
}

function addList(group: Command): void {
  const command = group
    .command("list")
    .description("list all keys, including revoked and expired ones; secrets are not stored")
    .option("--json", "print one JSON array")
    .action(async (options: { json?: true }) => {
      const { values } = settingsOf(command);
      const plan = accessPlan(values);
      const records = await readKeys(values);
      const lastSeen = await readLastSeen(values);
      const now = Date.now();
      if (options.json) {
        const described = records.map((one) => describeKey(one, plan, lastSeen.get(one.id), now));
        print(JSON.stringify(described, null, 2));
      } else if (records.length === 0) {
        note(noKeysYet(values));
      } else {
        const rows = records.map((record) => rowOf(record, plan, lastSeen.get(record.id), now));
        print(
          table([
            ["ID", "NAME", "TIER", "RATE", "MATCHES/DAY", "STATE", "EXPIRES", "LAST USED"],
            ...rows,
          ]),
        );
        warnOfUnknownTiers(plan, records);
      }
    });
  withSettings(command, ["keys-database", "rate", "burst", "matches-per-day"]);
  withExamples(command, [["matchbook keys list --json", "print JSON with all details"]]);
}

function rowOf(
  record: KeyRecord,
  plan: AccessPlan,
  lastSeen: number | undefined,
  now: number,
): string[] {
  const { tier, rate, matchesPerDay } = effectiveLimits(plan, record.tier, record);
  return [
    record.id,
    record.name,
    record.tier === null || record.tier === tier ? tier : `${record.tier} (${tier})`,
    String(rate),
    matchesPerDay === 0 ? "unlimited" : String(matchesPerDay),
    stateOf(record, now),
    record.expiresAt === null ? "never" : formatTimestamp(record.expiresAt),
    lastSeen === undefined ? "never" : age(now - lastSeen),
  ];
}

/** The limits of a key in one line. */
function limitsOf(settings: Settings, record: KeyRecord): string {
  const { tier, rate, burst, matchesPerDay, shards } = effectiveLimits(
    accessPlan(settings),
    record.tier,
    record,
  );
  return [
    `tier ${tier}`,
    `${rate} requests per minute`,
    `burst ${burst}`,
    `${matchesPerDay === 0 ? "unlimited" : matchesPerDay} matches per day`,
    `shards ${shards.join("+")}`,
    `expires ${record.expiresAt === null ? "never" : formatTimestamp(record.expiresAt)}`,
  ].join(", ");
}
