/** In charge of everything about one key as people read it. */

import { type Source, sourcesOf } from "../../access/describe.ts";
import { type KeyRecord, stateOf } from "../../access/key-store.ts";
import type { KeyDay } from "../../access/usage.ts";
import { dayOf, writtenDay } from "../../access/usage.ts";
import { type AccessPlan, type Allowance, allowanceOf } from "../../domain/allowance.ts";
import { formatTimestamp } from "../../domain/time.ts";
import { age, columns } from "../verb.ts";
import { errorsIn, requestsIn } from "./sums.ts";
import { grouped, shardsInWords } from "./words.ts";

export interface Use {
  lastSeen: number | undefined;
  today: KeyDay | undefined;
  /** Different matches that were served today. */
  matches: number;
  /** The budget that was found spent today, if one was. */
  exceeded: number | null;
}

export function keyInFull(
  record: KeyRecord,
  plan: AccessPlan,
  use: Use,
  shards: readonly string[],
  now: number,
): string {
  const allowance = allowanceOf(plan, record.tier, record);
  return [
    `${record.id}  ${record.name}`,
    "",
    section(about(record, use, now)),
    "",
    "It may do",
    section(limits(allowance, sourcesOf(plan, record), shards)),
    "",
    "Its secrets, newest first",
    section(record.secrets.map((secret) => secretInWords(record, secret, now))),
    "",
    `Today, ${writtenDay(dayOf(now))} (UTC)`,
    section(todayInWords(allowance, use)),
  ].join("\n");
}

const section = (rows: readonly (readonly string[])[]): string =>
  columns(rows)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");

function about(record: KeyRecord, { lastSeen }: Use, now: number): string[][] {
  const { note: about, expiresAt, revokedAt, createdAt } = record;
  const end = revokedAt ?? expiresAt;
  return [
    ["state", stateOf(record, now)],
    ...(about === null ? [] : [["note", about]]),
    ["created", formatTimestamp(createdAt)],
    ...(end === null ? [] : [[revokedAt === null ? "expires" : "revoked", formatTimestamp(end)]]),
    [
      "last seen",
      lastSeen === undefined ? "never" : `${formatTimestamp(lastSeen)} (${age(now - lastSeen)})`,
    ],
  ];
}

const DECIDED: Record<Source, string> = {
  key: "said by the key",
  tier: "said by its tier",
  default: "by default",
};

function limits(
  allowance: Allowance,
  sources: Record<keyof Allowance, Source>,
  readable: readonly string[],
): string[][] {
  const { tier, rate, burst, matchesPerDay } = allowance;
  return [
    ["tier", tier, DECIDED[sources.tier]],
    ["requests a minute", grouped(rate), DECIDED[sources.rate]],
    [
      "requests at once",
      grouped(burst),
      burst === rate ? "as many as in a minute" : DECIDED[sources.burst],
    ],
    [
      "matches a day",
      matchesPerDay === 0 ? "any number" : grouped(matchesPerDay),
      DECIDED[sources.matchesPerDay],
    ],
    ["shards", shardsInWords(allowance), DECIDED[sources.shards]],
    ["shards, now", readable.join(", ") || "none", "of those that are there"],
  ];
}

function secretInWords(
  { expiresAt: endOfKey, revokedAt }: KeyRecord,
  { createdAt, expiresAt }: KeyRecord["secrets"][number],
  now: number,
): string[] {
  const end = Math.min(
    expiresAt ?? Number.POSITIVE_INFINITY,
    endOfKey ?? Number.POSITIVE_INFINITY,
    revokedAt ?? Number.POSITIVE_INFINITY,
  );
  const made = `made ${formatTimestamp(createdAt)}`;
  if (end === Number.POSITIVE_INFINITY) return [made, "good without an end"];
  return [made, `${end > now ? "good until" : "ended"} ${formatTimestamp(end)}`];
}

function todayInWords({ matchesPerDay }: Allowance, { today, matches }: Use): string[][] {
  const days = today ? [today] : [];
  const { refused, failed } = errorsIn(days);
  return [
    ["requests", grouped(requestsIn(days))],
    ["errors", `${grouped(refused)} of the caller (4xx), ${grouped(failed)} of the server (5xx)`],
    ["records", grouped(today?.records ?? 0)],
    [
      "matches",
      matchesPerDay === 0
        ? "not counted: any number is allowed"
        : `${grouped(matches)} of ${grouped(matchesPerDay)} different ones`,
    ],
  ];
}
