/** Tests the pages of promises: every row names tests that exist, and no promise is missing. */

import { describe, expect, test } from "bun:test";
import { ADMIN_ERRORS } from "../../src/admin/errors.ts";
import { ERRORS } from "../../src/domain/errors.ts";
import { GAME_MODES, VOID_ENDINGS } from "../../src/domain/modes.ts";
import { PROFILES } from "../../src/endpoint/compat-profile.ts";
import { openApiPath, ROUTES } from "../../src/http/routes.ts";
import { Match, Participant, Player, Roster, Team } from "../../src/schema/resources.ts";
import { PARAMETERS } from "../support/parameters.ts";
import { coveragePage, faultOf, isLong as isOnlyLong, read } from "./coverage-page.ts";
import { hasTest, titlesIn } from "./titles.ts";

const clients = coveragePage("docs/interface-coverage.md");
const operators = coveragePage("docs/operations-coverage.md");
const security = coveragePage("SECURITY.md", "\n## What was tested\n");
const { rows } = clients;
const everyRow = [clients, operators, security].flatMap((page) => page.rows);
const byId = new Map(everyRow.map((row) => [row.id, row]));

describe.each([
  ["docs/interface-coverage.md", clients, 250],
  ["docs/operations-coverage.md", operators, 140],
  ["SECURITY.md", security, 25],
] as const)("%s", (_, { text, rows, later }, least) => {
  test("gives every row a unique id", () => {
    const ids = [...rows, ...later].map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(least);
    expect(ids.filter((id) => !/^[A-Z]-[\w-]+$/.test(id))).toEqual([]);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  test("names a test in every row, except for what is not built yet", () => {
    expect(rows.filter(({ citations }) => citations.length === 0).map(({ id }) => id)).toEqual([]);
    expect(later.filter(({ id }) => !id.startsWith("N-"))).toEqual([]);
    expect(rows.filter(({ id }) => id.startsWith("N-"))).toEqual([]);
  });

  test("names only tests and commands that exist", () => {
    const faults = rows.flatMap(({ id, citations }) =>
      citations.flatMap((citation) => faultOf(citation) ?? []).map((fault) => `${id}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  test("names a test of npm test in every row, not only one of the long tests", () => {
    const onlyLong = rows.filter(({ citations }) => citations.every(isOnlyLong));
    expect(onlyLong.map(({ id }) => id)).toEqual([]);
  });

  test("refers only to rows that exist", () => {
    const known = new Set([...rows, ...later].map(({ id }) => id));
    const named = [...text.matchAll(/`([A-Z]-[a-z][\w-]*)`/g)].map((one) => one[1]!);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });
});

test("no id is on two pages", () => {
  expect(byId.size).toBe(everyRow.length);
});

describe("there is a row for", () => {
  test("every error code of the admin listener, and for no other", () => {
    const statuses = operators.rows.flatMap(({ id, words }) => {
      const code = id.slice("T-".length);
      return id.startsWith("T-") && /^\d{3}\b/.test(words)
        ? [[code, Number.parseInt(words, 10)]]
        : [];
    });
    expect(statuses).toEqual(Object.entries(ADMIN_ERRORS));
  });

  test("every section of the pages for operators, or it is named as one without promises", () => {
    const pages = ["operating", "admin", "scaling", "monitoring", "webhooks"];
    const sections = pages.flatMap((name) =>
      [...read(`docs/${name}.md`).matchAll(/^##+ (.+)$/gm)].map(
        ([, heading]) => `${name}.md#${anchorOf(heading!)}`,
      ),
    );
    expect(sections.length).toBeGreaterThan(60);
    expect(sections.filter((section) => !operators.text.includes(`(${section})`))).toEqual([]);
  });

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

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");

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
describeLong("later", () => {
  test("too", () => {});
});
test("last", () => {});
const CASES = ["one"];
`;
  const titles = titlesIn(SOURCE);
  const has = (title: string) => hasTest(SOURCE, titles, title);

  test("are read with their describe, and with whether only the long run has them", () => {
    expect(titles.map(({ path }) => path)).toEqual([
      "outer > plain",
      "outer > of %s > case %s",
      "outer > of %s > number %d",
      "outer > left out",
      "later > too",
      "last",
    ]);
    expect(titles.filter(({ isLong }) => isLong).map(({ path }) => path)).toEqual(["later > too"]);
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
