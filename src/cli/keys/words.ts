/** In charge of keys in words: what one may do, and until when. */

import { type KeyRecord, stateOf } from "../../access/key-store.ts";
import {
  type AccessPlan,
  type Allowance,
  allowanceOf,
  EVERY_OPEN_SHARD,
  tierNamed,
} from "../../domain/allowance.ts";
import { formatTimestamp } from "../../domain/time.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An end that is nearer than this is told by the hour. */
const SOON_MS = 2 * DAY_MS;

/** A number as people read it: 1,234,567. */
export const grouped = (count: number): string => count.toLocaleString("en-US");

/** The day of a moment; the one before, if the moment is a midnight that ends something. */
const dayOfEnd = (moment: number): string => formatTimestamp(moment - 1).slice(0, 10);

export function stateInWords(record: KeyRecord, now: number): string {
  const { expiresAt, revokedAt } = record;
  if (revokedAt !== null) return `revoked ${formatTimestamp(revokedAt).slice(0, 10)}`;
  if (expiresAt === null) return "live";
  if (stateOf(record, now) === "expired") return `expired ${dayOfEnd(expiresAt)}`;
  const left = expiresAt - now;
  if (left >= SOON_MS) return `expires ${dayOfEnd(expiresAt)}`;
  return left < HOUR_MS
    ? `expires in ${Math.ceil(left / 60_000)} min`
    : `expires in ${Math.floor(left / HOUR_MS)} h`;
}

/** A sentence about what a key may do, and until when. */
export function termsInWords(plan: AccessPlan, record: KeyRecord): string {
  const allowance = allowanceOf(plan, record.tier, record);
  const { tier, rate, burst } = allowance;
  const parts = [
    `${grouped(rate)} requests a minute${burst === rate ? "" : ` (${grouped(burst)} at once)`}`,
    matchesInWords(allowance),
    shardsInWords(allowance),
  ];
  const end =
    record.expiresAt === null
      ? "It does not expire."
      : `It expires ${formatTimestamp(record.expiresAt)}.`;
  return `tier ${tier}, ${parts.join(", ")}. ${end}`;
}

function matchesInWords({ matchesPerDay }: Allowance): string {
  return matchesPerDay === 0
    ? "any number of matches a day"
    : `${grouped(matchesPerDay)} different matches a day`;
}

export function shardsInWords({ shards }: Allowance): string {
  const named = shards.filter((id) => id !== EVERY_OPEN_SHARD);
  const open = shards.includes(EVERY_OPEN_SHARD) ? ["every open shard"] : [];
  const rest =
    named.length === 0 ? [] : [`the shard${named.length > 1 ? "s" : ""} ${named.join(", ")}`];
  return [...open, ...rest].join(" and ");
}

/** What an operator must know about keys whose tier is gone; undefined if there are none. */
export function lostTiers(plan: AccessPlan, records: readonly KeyRecord[]): string | undefined {
  const lost = new Set(
    records.flatMap(({ tier }) => (tier === null || tierNamed(plan, tier) ? [] : [tier])),
  );
  if (lost.size === 0) return undefined;
  const names = [...lost].join(", ");
  return (
    `The settings have no tier ${names}: keys that name it are held to ${plan.tiers[0]!.name}. ` +
    "Name another with 'matchbook keys change ID --tier TIER', or add it to the setting tiers."
  );
}
