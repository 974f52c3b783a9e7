/**
 * Each row of the table, in one of the stores: nothing wrong is served, verify finds it, the digest covers it or not,
 * and after a repair everything is what it was.
 */

import { expect, test } from "bun:test";
import type { Damage } from "../support/engine.ts";
import { aMatch, onShard } from "../support/records.ts";
import { isFull, isLong, testLong } from "../support/scale.ts";
import { shared } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { damageOf } from "../support/verify.ts";
import { FEATURES } from "./features.ts";
import { type Engine, startPlace } from "./places.ts";
import { DAMAGES, type DamageRow, EVERYWHERE } from "./table.ts";

const COUNTS = new Set(FEATURES.flatMap(({ counts = [] }) => counts));
/** A changed row that counts are read from, or one without which they would be wrong. */
const isRowOfCounts = ({ what, isQuick, found }: DamageRow) =>
  (isQuick && what !== "the id of a player" && /players/.test(found.source)) || COUNTS.has(what);

export function testDamage(engine: Engine): void {
  const place = shared(() => startPlace(engine));

  test("a shard without damage: the questions have answers, verify is clean, and repair leaves it as it is", async () => {
    const one = await place.aShard();
    expect((await one.ask()).right.length).toBe(place.questions);
    expect(await one.verify()).toMatchObject({ state: "clean", isComplete: true, damaged: 0 });
    expect(await one.digest()).toBe(one.whole);
    expect(await one.repair()).toMatchObject({ exitCode: 0, report: { lost: 0 } });
    expect((await one.ask()).right.length).toBe(place.questions);
    expect(await one.digest()).toBe(one.whole);
  });

  const every = (count: number, row: DamageRow) => DAMAGES.indexOf(row) % count === 0;
  const isShort = (row: DamageRow) =>
    EVERYWHERE.has(row.what) || (engine === "SQLite" && every(3, row));
  /** Rows take long in PostgreSQL, and most of what they show is in the core. */
  const isHere = (row: DamageRow) =>
    engine === "SQLite" || isShort(row) || every(isFull ? 1 : 2, row);
  const cases = DAMAGES.map((row) => [row.what, row] as const);
  test.each(cases.filter(([, row]) => isShort(row)))("%s", holds);
  testLong.each(cases.filter(([, row]) => !isShort(row) && isHere(row)))("%s", holds);

  async function holds(_: string, row: DamageRow): Promise<void> {
    const one = await place.aShard();
    await one.inflict(row.damage);
    if (row.seen) {
      const asked = await one.ask();
      const digest = await one.digest().catch(() => "refused");
      // Whoever reads a count knows that its row is whole; only a record that is missing may not be counted.
      const miscounted = isRowOfCounts(row)
        ? asked.omission.filter((path) => place.counts.has(path))
        : [];
      expect({
        wrong: [...asked.wrong, ...miscounted],
        isShown: asked.detected.length + asked.omission.length > 0,
        digest: digest === "refused" ? digest : digest === one.whole ? "same" : "other",
      }).toEqual({ wrong: [], ...row.seen });
    }
    expect(damageOf(await one.verify())).toContainEqual(expect.stringMatching(row.found));
    expect((await one.verify(true)).state).toBe(row.isQuick ? "damaged" : "clean");
    if (!isLong && !EVERYWHERE.has(row.what)) return;
    const { exitCode, report, stderr } = await one.repair();
    expect([exitCode, report?.lost, stderr]).toEqual([row.lost > 0 ? 3 : 0, row.lost, stderr]);
    // What is on the list is missing, and nothing else: the records that are sent again are known by their content.
    if (row.lost > 0) await one.ingestAgain();
    // The server reads the new file or schema within a second. Until then, what a damaged row says may be no document.
    const isRight = () =>
      one.ask().then(
        ({ right }) => right.length === place.questions,
        () => false,
      );
    await until("everything is right", isRight);
    expect(await one.verify()).toMatchObject({ damage: [], isComplete: true });
    expect(await one.digest()).toBe(one.whole);
  }

  const LATE = aMatch({
    id: "late",
    createdAt: Date.UTC(2026, 0, 1, 0, 4, 1),
    rosters: [
      { members: [{ id: "player-4", name: "Ida" }], team: { id: "team-0", name: "Team" } },
      { members: [] },
    ],
  });
  const NEEDED: [what: string, damage: Damage, message: string][] = [
    [
      "damaged totals of a player",
      { change: "player", which: { id: "player-4" }, to: ({ wins }) => ({ wins: wins + 1 }) },
      "player player-4 is damaged",
    ],
    [
      "a damaged index of results",
      {
        change: "player entry",
        which: ({ match, result }) => match === "match-09" && result < 2,
        to: ({ result }) => ({ result: 1 - result }),
      },
      "match-09 is damaged",
    ],
    [
      "a damaged index of teams",
      {
        change: "team entry",
        which: { match: "match-08" },
        to: ({ takesPart }) => ({ takesPart: takesPart ? 0 : 1 }),
      },
      "match-08 is damaged",
    ],
  ];
  test.each(NEEDED)("ingest does not build on %s", async (_what, damage, message) => {
    const one = await place.aShard();
    await one.inflict([damage]);
    await expect(place.world.ingest([onShard(one.name, LATE)])).rejects.toThrow(message);
  });

  for (const { tests } of FEATURES) tests?.(place);
}
