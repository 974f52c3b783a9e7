/** Tests docs/interface-coverage.md: every row names tests that exist, and no promise is missing. */

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "../../src/domain/errors.ts";
import { GAME_MODES, VOID_ENDINGS } from "../../src/domain/modes.ts";
import { PROFILES } from "../../src/http/compat-profile.ts";
import { openApiPath, ROUTES } from "../../src/http/routes.ts";
import { PARAMETERS } from "../../src/query/parameters.ts";
import { Match, Participant, Player, Roster, Team } from "../../src/schema/resources.ts";
import { hasTest, titlesIn } from "./titles.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Row {
  id: string;
  /** The text between the id and the tests. */
  words: string;
  citations: string[];
}

const LATER = "## Not yet";
const page = read("docs/interface-coverage.md");
const [built = "", later = ""] = page.split(LATER);
const rows = rowsOf(built);
const byId = new Map(rows.map((row) => [row.id, row]));

/** The rows of all tables in a text, without headers. */
function rowsOf(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| Id "))
    .map((line) => {
      const cells = line.slice(2, -2).split(" | ");
      const [id = "", ...words] = cells;
      const tests = words.pop() ?? "";
      return { id: id.replaceAll("`", ""), words: words.join(" | "), citations: citedIn(tests) };
    });
}

function citedIn(cell: string): string[] {
  return cell.split("<br>").flatMap((one) => /^`(.*)`$/.exec(one)?.[1] ?? []);
}

const sources = new Map<string, { source: string; titles: ReturnType<typeof titlesIn> }>();
function testsOf(path: string) {
  const source = read(path);
  const known = sources.get(path) ?? { source, titles: titlesIn(source) };
  sources.set(path, known);
  return known;
}

/** What is wrong with a citation; undefined when it is correct. */
function faultOf(citation: string): string | undefined {
  const [path = "", title] = citation.split(" › ");
  if (title === undefined) return "it is not written as a file › a title";
  if (!/^test\/[\w/-]+\.test\.ts$/.test(path)) return `${path} is not a test file`;
  if (!existsSync(join(ROOT, path))) return `there is no ${path}`;
  const { source, titles } = testsOf(path);
  return hasTest(source, titles, title) ? undefined : `${path} has no test "${title}"`;
}

describe("docs/interface-coverage.md", () => {
  test("gives every row a unique id", () => {
    const ids = [...rows, ...rowsOf(later)].map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(250);
    expect(ids.filter((id) => !/^[A-Z]-[\w-]+$/.test(id))).toEqual([]);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  test("names a test in every row, except for what is not built yet", () => {
    expect(rows.filter(({ citations }) => citations.length === 0).map(({ id }) => id)).toEqual([]);
    expect(rowsOf(later).filter(({ id }) => !id.startsWith("N-"))).toEqual([]);
    expect(rows.filter(({ id }) => id.startsWith("N-"))).toEqual([]);
  });

  test("names only tests that exist", () => {
    const faults = rows.flatMap(({ id, citations }) =>
      citations.flatMap((citation) => faultOf(citation) ?? []).map((fault) => `${id}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  test("refers only to rows that exist", () => {
    const known = new Set([...rows, ...rowsOf(later)].map(({ id }) => id));
    const named = [...page.matchAll(/`([A-Z]-[a-z][\w-]*)`/g)].map((one) => one[1]!);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });
});

describe("there is a row for", () => {
  const missing = (ids: string[]) => ids.filter((id) => !byId.has(id));
  const wordsOf = (kind: string) =>
    rows.filter(({ id }) => id.startsWith(`${kind}-`)).map(({ words }) => words);

  test("every query parameter", () => {
    const ids = PARAMETERS.map(({ name }) => `P-${name.replace(/\W+$/, "").replace(/\W+/g, "-")}`);
    expect(missing(ids)).toEqual([]);
    const unnamed = PARAMETERS.filter(
      ({ name }) => !wordsOf("P").some((words) => words.startsWith(`\`${name}\``)),
    );
    expect(unnamed).toEqual([]);
  });

  test("every error code, with its status, and for no other", () => {
    const listed = rows
      .filter(({ id }) => id.startsWith("E-"))
      .map(({ id, words }) => [id.slice(2), Number.parseInt(words, 10)]);
    expect(listed).toEqual(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
  });

  test("every game mode and every void ending", () => {
    expect(missing(GAME_MODES.map((mode) => `M-${mode}`))).toEqual([]);
    for (const ending of VOID_ENDINGS) expect(byId.get("V-rule-2")!.words).toContain(ending);
  });

  test("every field of every resource", () => {
    const resources = { match: Match, roster: Roster, participant: Participant, player: Player };
    const fields = Object.entries({ ...resources, team: Team }).flatMap(([type, schema]) =>
      fieldsOf(schema).map((field) => `F-${type}-${field}`),
    );
    expect(fields.length).toBeGreaterThan(40);
    expect(missing(fields)).toEqual([]);
  });

  test("every URL", () => {
    const listed = wordsOf("A").join("\n");
    const paths = ROUTES.map((route) => `\`${openApiPath(route)}\``);
    expect(paths.filter((path) => !listed.includes(path))).toEqual([]);
  });

  test("every line and every part of the compatibility profile", () => {
    const listed = wordsOf("C");
    const lines = read("docs/compatibility.md").split("\n");
    const head = lines.findIndex((line) => line.startsWith("| Clients do this |"));
    const rest = lines.slice(head + 2);
    const deeds = rest.slice(0, rest.indexOf("")).map((line) => line.slice(2).split(" | ")[0]!);
    expect(deeds.length).toBeGreaterThanOrEqual(10);
    expect(deeds.filter((deed) => !listed.some((words) => words.startsWith(deed)))).toEqual([]);
    const parts = Object.keys(PROFILES.gamelocker).map((part) => `\`${part}\``);
    expect(parts.filter((part) => !listed.some((words) => words.includes(part)))).toEqual([]);
  });
});

interface Schema {
  properties?: Record<string, Schema>;
}

/** The fields of a resource: its id, attributes, relationships, and each of its stats. */
function fieldsOf(schema: object): string[] {
  const { attributes, relationships } = (schema as Schema).properties!;
  const stats = attributes!.properties!.stats?.properties ?? {};
  return [
    "id",
    ...Object.keys(attributes!.properties!),
    ...Object.keys(relationships?.properties ?? {}),
    ...Object.keys(stats).map((name) => `stats-${name}`),
  ];
}

describe("the test titles of a source", () => {
  const SOURCE = `
describe("outer", () => {
  test("plain", () => {});
  describe.each([
    ["a", "b"],
  ])("of %s", (_) => {
    test.each(CASES)("case %s", () => {});
    test.each([1, 2])(
      "number %d",
      () => {},
    );
  });
  test.skip("left out", () => {});
});
test("last", () => {});
const CASES = ["one"];
`;
  const titles = titlesIn(SOURCE);
  const has = (title: string) => hasTest(SOURCE, titles, title);

  test("are read with their describe", () => {
    expect(titles.map(({ path }) => path)).toEqual([
      "outer > plain",
      "outer > of %s > case %s",
      "outer > of %s > number %d",
      "outer > left out",
      "last",
    ]);
  });

  test("are found as written, or as one case of a table that has that value", () => {
    expect(has("outer > plain")).toBe(true);
    expect(has("outer > of %s > case %s")).toBe(true);
    expect(has("outer > of a > case one")).toBe(true);
    expect(has("outer > of %s > number 2")).toBe(true);
  });

  test("are not found once they are renamed, moved, skipped, or without their case", () => {
    expect(has("outer > plane")).toBe(false);
    expect(has("plain")).toBe(false);
    expect(has("outer > last")).toBe(false);
    expect(has("outer > left out")).toBe(false);
    expect(has("outer > of a > case two")).toBe(false);
    expect(has("outer > of c > case one")).toBe(false);
    expect(has("outer > of %s > number 3")).toBe(false);
  });
});
