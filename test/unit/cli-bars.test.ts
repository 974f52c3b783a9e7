/** In charge of bars, lines of bars and what a terminal is taken to be able to show. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { bar, sparkline, summed } from "../../src/cli/keys/bars.ts";
import { showsBlocks, widthOf } from "../../src/cli/keys/terminal.ts";
import { fitted } from "../../src/cli/table.ts";

describe("a bar", () => {
  test("is as wide as there is room for the highest value, and never wider", () => {
    fc.assert(
      fc.property(
        fc.nat(1e9),
        fc.nat(1e9),
        fc.integer({ min: 1, max: 200 }),
        (one, other, width) => {
          const highest = Math.max(one, other, 1);
          for (const blocks of [true, false]) {
            expect(bar(one, highest, width, blocks).length).toBeLessThanOrEqual(width);
            expect(bar(highest, highest, width, blocks)).toBe((blocks ? "█" : "#").repeat(width));
          }
        },
      ),
    );
  });

  test("shows whatever is not nothing, and nothing for nothing", () => {
    expect(bar(1, 1e9, 40, true)).toBe("▏");
    expect(bar(1, 1e9, 40, false)).toBe("#");
    expect(bar(0, 1e9, 40, true)).toBe("");
  });

  test("goes by eighths of a character", () => {
    expect([1, 4, 7, 8, 12].map((value) => bar(value, 16, 2, true))).toEqual([
      "▏",
      "▌",
      "▉",
      "█",
      "█▌",
    ]);
  });
});

describe("a line of bars", () => {
  test("has a character for each value, as high as it is among them", () => {
    expect(sparkline([0, 1, 4, 8], true)).toBe("·▁▄█");
    expect(sparkline([0, 1, 4, 8], false)).toBe(".:+@");
    expect(sparkline([0, 0], true)).toBe("··");
  });

  test("can be made shorter by adding up neighbours, of which none gets lost", () => {
    expect(summed([1, 2, 3, 4, 5], 2)).toEqual([3, 12]);
    expect(summed([1, 2, 3], 3)).toEqual([1, 2, 3]);
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), fc.nat(50), (values, most) => {
        const sums = summed(values, most);
        expect(sums.length).toBeLessThanOrEqual(Math.max(1, most));
        const total = (numbers: number[]) => numbers.reduce((sum, value) => sum + value, 0);
        expect(total(sums)).toBe(total(values));
      }),
    );
  });
});

describe("a table", () => {
  const rows = [
    ["ID", "NAME", "STATE"],
    ["k_1", "統計のための鍵、とても長い名前", "live"],
  ];

  test("cuts names short where it must, by what they take on the screen", () => {
    const [, line = ""] = fitted(rows, 1, 30, "…").split("\n");
    expect(Bun.stringWidth(line)).toBeLessThanOrEqual(30);
    expect(line).toMatch(/^k_1 {2}統計.*… +live$/);
  });

  test("leaves them whole where there is room", () => {
    expect(fitted(rows, 1, Number.POSITIVE_INFINITY, "…")).toContain(rows[1]![1]!);
  });
});

describe("a terminal", () => {
  test.each([
    ["as wide as it says", { columns: 132, env: { COLUMNS: "99" } }, 132],
    [
      "as wide as the variable says, if it is none",
      { columns: undefined, env: { COLUMNS: "99" } },
      99,
    ],
    ["of 80 columns when nobody says", { columns: undefined, env: {} }, 80],
    [
      "of 80 columns when the variable is no number",
      { columns: undefined, env: { COLUMNS: "x" } },
      80,
    ],
  ])("is %s", (_, surroundings, width) => expect(widthOf(surroundings)).toBe(width));

  test.each([
    [{ LANG: "en_US.UTF-8" }, true],
    [{ LANG: "C.utf8", TERM: "xterm-256color" }, true],
    [{}, true],
    [{ LANG: "C" }, false],
    [{ LANG: "en_US.UTF-8", LC_ALL: "POSIX" }, false],
    [{ LANG: "C", LC_CTYPE: "en_US.UTF-8" }, true],
    [{ LANG: "de_DE.ISO-8859-1" }, false],
    [{ LANG: "en_US.UTF-8", TERM: "dumb" }, false],
    [{ LANG: "en_US.UTF-8", TERM: "linux" }, false],
  ] as [Record<string, string>, boolean][])("with %j shows blocks: %p", (env, blocks) => {
    expect(showsBlocks({ columns: 80, env })).toBe(blocks);
  });
});
