import { describe, expect, test } from "bun:test";
import { parseTimestamp } from "../../src/domain/time.ts";
import { parseMatchesQuery } from "../../src/query/parse-query.ts";

const NOW = "2026-03-29T12:00:00Z";
const EARLIEST = "2026-03-01T12:00:00Z";

const moment = (text: string): number => parseTimestamp(text) as number;

const parse = (raw: string) =>
  parseMatchesQuery(raw, {
    now: moment(NOW),
    maxOffset: 10_000,
    includePaths: new Set(),
    types: new Set(),
  });

function write(start: string | undefined, end: string | undefined): string {
  const parts: string[] = [];
  if (start !== undefined) parts.push(`filter[createdAt-start]=${start}`);
  if (end !== undefined) parts.push(`filter[createdAt-end]=${end}`);
  return parts.join("&");
}

type Text = string | undefined;

describe("the time window", () => {
  const right: [why: string, start: Text, end: Text, from: string, to: string][] = [
    ["defaults to the last 28 days", undefined, undefined, EARLIEST, NOW],
    [
      "may begin anywhere in the past",
      "1999-01-01T00:00:00Z",
      undefined,
      "1999-01-01T00:00:00Z",
      NOW,
    ],
    [
      "may begin later than 28 days ago",
      "2026-03-20T00:00:00Z",
      undefined,
      "2026-03-20T00:00:00Z",
      NOW,
    ],
    [
      "may begin a moment before now",
      "2026-03-29T11:59:59.999Z",
      undefined,
      "2026-03-29T11:59:59.999Z",
      NOW,
    ],
    ["may end before now", undefined, "2026-03-20T00:00:00Z", EARLIEST, "2026-03-20T00:00:00Z"],
    [
      "may end a moment after the default start",
      undefined,
      "2026-03-01T12:00:00.001Z",
      EARLIEST,
      "2026-03-01T12:00:00.001Z",
    ],
    ["ends now when its end is in the future", undefined, "2030-01-01T00:00:00Z", EARLIEST, NOW],
    [
      "may lie wholly in the past when both ends are given",
      "2025-01-01T00:00:00Z",
      "2025-01-02T00:00:00Z",
      "2025-01-01T00:00:00Z",
      "2025-01-02T00:00:00Z",
    ],
    [
      "keeps fractions to the millisecond",
      "2026-03-20T00:00:00.1239Z",
      undefined,
      "2026-03-20T00:00:00.123Z",
      NOW,
    ],
    [
      "takes offsets",
      "2026-03-20T02:00:00%2B02:00",
      "2026-03-20T00:00:00-01:30",
      "2026-03-20T00:00:00Z",
      "2026-03-20T01:30:00Z",
    ],
    [
      "reads a blank as the plus it was before form decoding",
      "2026-03-20T02:00:00+02:00",
      undefined,
      "2026-03-20T00:00:00Z",
      NOW,
    ],
    [
      "reads an encoded blank likewise",
      "2026-03-20T02:00:00.5%2002:00",
      undefined,
      "2026-03-20T00:00:00.5Z",
      NOW,
    ],
  ];
  test.each(right)("%s", (_, start, end, from, to) => {
    expect(parse(write(start, end))).toMatchObject({
      ok: true,
      query: { window: { start: moment(from), end: moment(to) } },
    });
  });

  const START = "filter[createdAt-start]";
  const END = "filter[createdAt-end]";

  const empty: [why: string, start: Text, end: Text, parameter: string, advice: string][] = [
    [
      "begins and ends at once",
      "2026-03-20T00:00:00Z",
      "2026-03-20T00:00:00Z",
      START,
      `must be before ${END}`,
    ],
    [
      "begins after its end",
      "2026-03-20T00:00:00Z",
      "2026-03-19T00:00:00Z",
      START,
      `must be before ${END}`,
    ],
    ["begins now", NOW, undefined, START, `must be before now, which is ${NOW}`],
    ["begins in the future", "2027-01-01T00:00:00Z", undefined, START, "must be before now"],
    [
      "lies in the future",
      "2027-01-01T00:00:00Z",
      "2028-01-01T00:00:00Z",
      START,
      "must be before now",
    ],
    ["ends at the default start", undefined, EARLIEST, END, `Give ${START} as well`],
    [
      "ends before the default start",
      undefined,
      "2020-01-01T00:00:00Z",
      END,
      `Give ${START} as well`,
    ],
  ];
  test.each(empty)("is refused when it %s", (_, start, end, parameter, advice) => {
    const parsed = parse(write(start, end));
    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ code: "invalid-window", source: { parameter } }],
    });
    expect(!parsed.ok && parsed.problems[0]!.detail).toContain(advice);
  });

  const unreadable: [why: string, text: string][] = [
    ["no time", "2026-03-20"],
    ["no zone", "2026-03-20T00:00:00"],
    ["no seconds", "2026-03-20T00:00Z"],
    ["a day that does not exist", "2026-02-30T00:00:00Z"],
    ["an hour that does not exist", "2026-03-20T24:00:00Z"],
    ["a blank in place of the T", "2026-03-20+00:00:00Z"],
    ["two blanks before the zone", "2026-03-20T00:00:00++02:00"],
    ["a blank at the end", "2026-03-20T00:00:00Z+"],
    ["a number", "1774785600"],
    ["a word", "yesterday"],
  ];
  test.each(unreadable)("is refused with an example when an end has %s", (_, text) => {
    const parsed = parse(write(text, undefined));
    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ code: "invalid-parameter", source: { parameter: START } }],
    });
    expect(!parsed.ok && parsed.problems[0]!.detail).toContain("such as 2026-03-01T18:30:00Z");
  });

  test("is not called empty on account of an end that could not be read", () => {
    const codes = (raw: string) => {
      const parsed = parse(raw);
      return parsed.ok ? [] : parsed.problems.map(({ code }) => code);
    };
    expect(codes(write("yesterday", "2020-01-01T00:00:00Z"))).toEqual(["invalid-parameter"]);
    expect(codes(write("%FF", "2020-01-01T00:00:00Z"))).toEqual(["malformed-query"]);
    expect(codes(write("2020-01-01T00:00:00Z", "yesterday"))).toEqual(["invalid-parameter"]);
    expect(codes(write("2027-01-01T00:00:00Z", "yesterday"))).toEqual([
      "invalid-parameter",
      "invalid-window",
    ]);
  });
});
