/** In charge of what pages cost in SQLite: steps bounded by the page and not by the shard. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { keysToRead } from "../../src/domain/similar-names.ts";
import { openForReading, openForWriting } from "../../src/store/sqlite/open.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";
import { SqliteWriter } from "../../src/store/sqlite/writer.ts";
import type { Selection } from "../../src/store/store.ts";
import {
  COMBINATIONS,
  LIMIT,
  PLACES,
  rowsOf,
  SINGLE_FILTERS,
  STRANGER,
  TYPED_NAMES,
  WINDOW,
} from "../support/asked.ts";
import { fillLargely, MATCHES } from "../support/large.ts";
import { notingRuns, stepsOf } from "../support/steps.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
const path = join(folder.path, "large.db");

beforeAll(async () => {
  const writer = new SqliteWriter(openForWriting(path));
  await fillLargely(writer);
  await writer.close();
}, 60_000);
afterAll(() => folder.remove());

/** The statements that find a page's matches; to read them is another matter, and alike for all. */
function costOf(selection: Selection) {
  const cost = costOfAsking((reader) => reader.matches(selection), / AS here\b|count\(\*\)/);
  // Nobody is looked for where a player is not known; otherwise the statement has another form now.
  const isKnown = !selection.players.flat().includes(STRANGER);
  expect([/ AS here\b/.test(cost.says), cost.instructions > 0]).toEqual([isKnown, isKnown]);
  return cost;
}

function costOfAsking(ask: (reader: SqliteReader) => void, isMeant: RegExp) {
  const { database, runs } = notingRuns(openForReading(path)!);
  const reader = new SqliteReader(database, 0, () => {});
  ask(reader);
  const finding = runs.filter(({ sql }) => isMeant.test(sql));
  const steps = stepsOf(path, finding);
  reader.close();
  return { ...steps, says: finding.map(({ sql }) => sql).join("\n") };
}

/** For a row that is looked at, and for a statement that looks at none. */
const A_ROW = 12;
const A_STATEMENT = 30;

describe("a page by one filter", () => {
  for (const [name, filter, values] of SINGLE_FILTERS) {
    test(`${name}: takes no more steps than its rows need, and a few beyond`, () => {
      // Each value is walked by some more than its share, and one is looked at behind.
      const most = A_ROW * (2 * LIMIT + 4 * values) + 2 * values * A_STATEMENT;
      for (const place of PLACES) {
        for (const sort of ["createdAt", "-createdAt"] as const) {
          const selection = { ...filter, ...WINDOW, sort, place, limit: LIMIT };
          const { instructions, unindexed, sorts, says } = costOf(selection);
          expect([unindexed, sorts]).toEqual([0, 0]);
          expect(instructions <= most || `${instructions} steps, at most ${most}\n${says}`).toBe(
            true,
          );
        }
      }
    });
  }
});

describe("a page by several filters", () => {
  for (const [name, filter] of COMBINATIONS) {
    test(`${name}: takes no more steps than the rows of the most selective in the window need`, () => {
      const roads = rowsOf(filter);
      const shortest = Math.min(...roads);
      // To walk one with a look at the others for each, and to compare them beforehand.
      const most = roads.length * (3 * A_ROW * shortest + 64 * A_ROW + 4 * A_STATEMENT);
      expect(most / A_ROW).toBeLessThan(MATCHES);
      for (const place of PLACES) {
        const selection = { ...filter, ...WINDOW, sort: "createdAt" as const, place, limit: LIMIT };
        const { instructions, sorts, says } = costOf(selection);
        expect(sorts).toBe(0);
        expect(instructions <= most || `${instructions} steps, at most ${most}\n${says}`).toBe(
          true,
        );
      }
    });
  }
});

describe("names close to a mistyped one", () => {
  for (const typed of TYPED_NAMES) {
    test(`${typed}: takes no more steps than the rows around its keys need`, () => {
      const { keys, before, after } = keysToRead(typed);
      const most = A_ROW * keys.length * (before + after) + 2 * keys.length * A_STATEMENT;
      const { instructions, unindexed, sorts, says } = costOfAsking(
        (reader) => reader.namesAround(keys, before, after),
        /name_spots/,
      );
      expect([says.includes("name_spots"), unindexed, sorts]).toEqual([true, 0, 0]);
      expect(instructions <= most || `${instructions} steps, at most ${most}`).toBe(true);
    });
  }

  test("those who bear a name are looked up by it", () => {
    const { instructions, unindexed, sorts } = costOfAsking(
      (reader) => reader.playersWithNames(["name of p1", "nobody"], 3),
      /FROM players WHERE name/,
    );
    expect([instructions > 0, unindexed, sorts]).toEqual([true, 0, 0]);
    expect(instructions).toBeLessThan(2 * (3 * A_ROW + A_STATEMENT));
  });
});
