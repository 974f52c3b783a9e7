/** In charge of usage as people read it: a line a day for one key, a line a key for all. */

import type { KeyRecord } from "../../access/key-store.ts";
import type { KeyDay } from "../../access/usage.ts";
import { writtenDay } from "../../access/usage.ts";
import { fitted, rightAligned } from "../table.ts";
import { age, columns } from "../verb.ts";
import { bar, sparkline, summed } from "./bars.ts";
import { errorsIn, recordsIn, requestsIn, requestsOf } from "./sums.ts";
import { type Surroundings, showsBlocks, widthOf } from "./terminal.ts";
import { grouped } from "./words.ts";

/** Days up to and with `last`. */
export interface Span {
  last: number;
  length: number;
}

/** A key and the days on which it was used. */
export interface UsedKey {
  id: string;
  /** Undefined: it is counted, but there is no such key any more. */
  record: KeyRecord | undefined;
  days: readonly KeyDay[];
  lastSeen: number | undefined;
}

const GAP = 2;
const SHORTEST_BAR = 8;
const SHORTEST_LINE = 10;

/** One line a day, oldest first; a day without use has nothing beside its date. */
export function linesOfDays(key: UsedKey, span: Span, where: Surroundings): string {
  const blocks = showsBlocks(where);
  const byDay = new Map(key.days.map((day) => [day.day, day]));
  const rows = daysIn(span).map((day) => {
    const used = byDay.get(day);
    const label = day === span.last ? `${writtenDay(day)} today` : writtenDay(day);
    return used ? [label, ...numbersOf([used])] : [label, "", "", "", ""];
  });
  const total = ["all", ...numbersOf(key.days)];
  const numbers = rightAligned(
    [["DAY", "REQUESTS", "4XX", "5XX", "RECORDS"], ...rows, total],
    [1, 2, 3, 4],
  );
  const taken = Bun.stringWidth(columns(numbers).split("\n")[0]!);
  const room = Math.max(SHORTEST_BAR, widthOf(where) - taken - GAP);
  const highest = Math.max(...key.days.map(requestsOf));
  const bars = daysIn(span).map((day) => {
    const used = byDay.get(day);
    return used ? bar(requestsOf(used), highest, room, blocks) : "";
  });
  const table = columns(numbers.map((row, at) => [...row, ["", ...bars, ""][at]!]));
  return `${key.id}  ${key.record?.name ?? ""}\n\n${table}`;
}

function numbersOf(days: readonly KeyDay[]): string[] {
  const { refused, failed } = errorsIn(days);
  return [requestsIn(days), refused, failed, recordsIn(days)].map(grouped);
}

/** One line a key, in the order given; each line of days has a scale of its own. */
export function tableOfKeys(
  keys: readonly UsedKey[],
  span: Span,
  now: number,
  where: Surroundings,
): string {
  const blocks = showsBlocks(where);
  const width = widthOf(where);
  const heads = ["ID", "NAME", "REQUESTS", "RECORDS", "LAST SEEN"];
  const rows = keys.map(({ id, record, days, lastSeen }) => [
    id,
    record?.name ?? "(no such key)",
    grouped(requestsIn(days)),
    grouped(recordsIn(days)),
    lastSeen === undefined ? "never" : age(now - lastSeen),
  ]);
  // Names give way to the days, as far as they can.
  const table = fitted(
    rightAligned([heads, ...rows], [2, 3]),
    1,
    width - GAP - span.length,
    blocks ? "…" : "..",
  ).split("\n");
  const taken = Math.max(...table.map((line) => Bun.stringWidth(line)));
  const room = Math.max(SHORTEST_LINE, width - taken - GAP);
  const lines = keys.map(({ days }) => lineOf(days, span, room, blocks));
  const together = Math.ceil(span.length / room);
  const head = `LAST ${span.length} DAYS${together > 1 ? `, BY ${together}` : ""}`;
  return columns(table.map((line, at) => [line, [head, ...lines][at]!]));
}

function lineOf(days: readonly KeyDay[], span: Span, room: number, blocks: boolean): string {
  const byDay = new Map(days.map((day) => [day.day, requestsOf(day)]));
  const counts = daysIn(span).map((day) => byDay.get(day) ?? 0);
  return sparkline(summed(counts, room), blocks);
}

const daysIn = ({ last, length }: Span): number[] =>
  Array.from({ length }, (_, index) => last - length + 1 + index);
