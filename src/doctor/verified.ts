/** Checks when the shards were last verified, and with what result. */

import { parseTimestamp } from "../domain/time.ts";
import { readVerified, type VerifiedShard, type VerifiedShards } from "../verify/last-verified.ts";
import { type Finding, ok, problem, someOf, warning } from "./findings.ts";

const SUBJECT = "verify";
const DAY_MS = 86_400_000;
/** Servers check checksums, lists and totals all the time: only a rebuild from the records needs the command. */
const OLD_MS = 90 * DAY_MS;

export function verifiedFindings(
  data: string,
  ids: readonly string[],
  { now, describe }: { now: number; describe(error: Error): string },
): Finding[] {
  if (ids.length === 0) return [];
  let known: VerifiedShards;
  try {
    known = readVerified(data);
  } catch (error) {
    const advice = "delete that file, and run 'matchbook verify' again";
    return [warning(SUBJECT, describe(error as Error), advice)];
  }
  const never = ids.filter((id) => !known.has(id));
  return [
    ...ids.flatMap((id) => shardFindings(id, known.get(id) ?? {}, now)),
    ...(never.length > 0 ? [ok(SUBJECT, `${someOf(never)}: never; run 'matchbook verify'`)] : []),
  ];
}

/** A quick one may find nothing where a full one has. */
function shardFindings(id: string, { full, quick }: VerifiedShard, now: number): Finding[] {
  const results = [full && { ...full, kind: "" }, quick && { ...quick, kind: " (--quick)" }];
  const found = results.flatMap((one) => (one === undefined ? [] : [one]));
  const newest = found.toSorted((one, other) => timeOf(other) - timeOf(one))[0];
  return found.flatMap((one) => {
    const age = now - timeOf(one);
    const message = `${id}: ${one.at}, ${Math.floor(age / DAY_MS)} days ago${one.kind}`;
    if (one.damaged > 0) {
      const advice = `repair or restore the shard, and run 'matchbook verify ${id}' again`;
      return problem(SUBJECT, `${message}, ${one.damaged} damaged`, advice);
    }
    if (one !== newest) return [];
    if (age <= OLD_MS) return ok(SUBJECT, `${message}, no damage`);
    return warning(SUBJECT, `${message}, no damage`, `run 'matchbook verify ${id}' again`);
  });
}

const timeOf = ({ at }: { at: string }): number => parseTimestamp(at)!;
