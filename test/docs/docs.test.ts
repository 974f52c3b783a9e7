/** Tests that the documentation matches the code: complete, and nothing outdated. */

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { Command } from "commander";
import { buildProgram } from "../../src/cli/program.ts";
import { ERRORS } from "../../src/domain/errors.ts";
import { GAME_MODES } from "../../src/domain/modes.ts";
import { MAX_CHANGES } from "../../src/features/changes/parameters.ts";
import { MAX_NAMES, MAX_NEAR_LENGTH } from "../../src/features/name-search/parameters.ts";
import { openApiPath, ROUTES } from "../../src/http/routes.ts";
import { MOST_REFERENCES } from "../../src/ingest/collect-resources.ts";
import {
  MAX_PARAMETERS,
  MAX_PLAYERS,
  MAX_URL_LENGTH,
  MAX_VALUES,
  PAGE_SIZE,
} from "../../src/query/parameters.ts";
import { WINDOW_DAYS } from "../../src/query/window.ts";
import { MAX_NAME_LENGTH } from "../../src/schema/resources.ts";
import {
  flagOf,
  GROUPS,
  isTableName,
  SETTING_NAMES,
  SETTINGS,
  settingOf,
  VALUE_NAMES,
  variableOf,
} from "../../src/settings/definitions.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { ENDPOINTS, PARAMETERS } from "../support/parameters.ts";
import { aFolder } from "../support/world.ts";

const ROOT = join(import.meta.dir, "../..");
const pagesIn = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => join(folder, name));
const PAGES = [...pagesIn("."), ...pagesIn("docs"), ...pagesIn("client")];

const pages = new Map(PAGES.map((page) => [page, readFileSync(join(ROOT, page), "utf8")]));
const page = (name: string): string => pages.get(name)!;
/** All pages except the generated error messages, whose mistakes are deliberate. */
const everyPage = PAGES.filter((name) => name !== "docs/error-messages.md")
  .map(page)
  .join("\n");

/** The fenced code blocks of a language. */
function blocks(text: string, language: string): string[] {
  const fences = text.matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...fences].filter((fence) => fence[1] === language).map((fence) => fence[2]!);
}

/** The rows of the one table whose header begins with these cells. */
function table(text: string, ...head: string[]): string[][] {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, at) =>
    head.every((cell, column) => cells(line)[column] === cell) ? [at] : [],
  );
  expect(starts).toHaveLength(1);
  const rest = lines.slice(starts[0]! + 2);
  return rest.slice(0, endOf(rest)).map(cells);
}

const endOf = (lines: string[]) => lines.findIndex((line) => !line.startsWith("|"));
const cells = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The text between backticks. */
const codes = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map((one) => one[1]!);
const code = (text: string): string => codes(text)[0] ?? "";
const unique = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();

/** The text without code blocks. */
const prose = (text: string): string => text.replaceAll(/^```.*?^```$/gms, "");

describe("docs/settings.md", () => {
  const sections = page("docs/settings.md")
    .split(/^##+ /m)
    .filter((section) => section.includes("| Setting | Flag |"));
  const rowsOf = (section: string) => table(section, "Setting", "Flag", "Variable", "Default");
  const rows = sections.flatMap(rowsOf);

  test("lists every setting and no other, in the groups and the order of the code", () => {
    const names = sections.map((section) => [
      section.split("\n", 1)[0],
      rowsOf(section).map(([name]) => code(name!)),
    ]);
    expect(names).toEqual(
      Object.entries(GROUPS).map(([title, group]) => [title, Object.keys(group)]),
    );
  });

  test.each(SETTING_NAMES)("gives flag, variable and default of %s", (setting) => {
    const [, flag, variable, usual] = rows.find(([name]) => code(name!) === setting)!;
    if (isTableName(setting)) {
      expect([flag, variable]).toEqual(["(file only)", "(file only)"]);
      return;
    }
    expect(flag).toBe(settingOf(setting).isSecret ? "(none)" : `\`${flagOf(setting)}\``);
    expect(code(variable!)).toBe(variableOf(setting));
    expect(usual === "(empty)" ? "" : code(usual!)).toBe(settingOf(setting).default);
  });

  test("shows a file that loads, and says where its shards are", () => {
    const [example] = blocks(page("docs/settings.md"), "toml");
    const folder = aFolder();
    writeFileSync(join(folder.path, "matchbook.toml"), example!);
    const { values, origins } = loadSettings({ flags: {}, env: {}, cwd: folder.path });
    folder.remove();
    expect(origins.port).toBe("file");
    expect(values["trusted-proxies"].has("10.1.2.3")).toBe(true);
    expect(
      values.shards.map(({ id, location }) => [
        id,
        location?.engine === "sqlite" ? location.path : undefined,
      ]),
    ).toEqual([
      ["na", undefined],
      ["eu", "/mnt/fast/eu.db"],
      ["beta", undefined],
    ]);
    expect(values.tiers.map(({ name }) => name)).toEqual(["hobby", "community", "partner"]);
    expect(values.tiers[2]!.shards).toEqual(["*", "beta"]);
  });

  test("and every other page name only variables that exist", () => {
    const known = [...VALUE_NAMES.map(variableOf), variableOf("config")];
    const named = unique([...everyPage.matchAll(/MATCHBOOK_[A-Z_]+/g)].map(([name]) => name));
    expect(named.filter((name) => !known.includes(name) && name !== "MATCHBOOK_")).toEqual([]);
  });
});

const KEY_NEEDED = { key: "yes", own: "yes, and no `Accept`", open: "no" };

describe("docs/api.md", () => {
  const api = page("docs/api.md");
  const parameters = PARAMETERS;

  test("lists every parameter, and no other", () => {
    const names = table(api, "Parameter", "On").map(([name]) => code(name!));
    expect(names.toSorted()).toEqual(parameters.map(({ name }) => name).toSorted());
  });

  test.each(parameters.map((one) => [one.name, one] as const))(
    "says where %s belongs and what its default is",
    (_, { name, endpoints }) => {
      const row = table(api, "Parameter", "On").find(([first]) => code(first!) === name)!;
      expect(row[1]!.split(", ").toSorted()).toEqual(endpoints.toSorted());
      const usual = ENDPOINTS.flatMap(({ parameters }) => parameters[name]?.default ?? []);
      const missing = usual.filter((one) => !row[2]!.replaceAll("`", "").includes(one));
      expect(missing).toEqual([]);
      if (usual.length === 0) expect(row[2]).toBe("");
    },
  );

  test("and every other page name only parameters that exist", () => {
    const named = everyPage.matchAll(/\b(?:filter|page)\[[^\]\n]+\]/g);
    const known = new Set(parameters.map(({ name }) => name));
    // The deliberate mistake in the examples of an error.
    known.add("filter[playerName]");
    expect(unique(named.map(([name]) => name)).filter((name) => !known.has(name))).toEqual([]);
  });

  test("lists every endpoint with what it accepts, and no other", () => {
    const rows = table(api, "Path", "Returns", "Key needed");
    expect(rows.map(([path, , key]) => [code(path!), key])).toEqual(
      ROUTES.map((route) => [openApiPath(route), KEY_NEEDED[route.access]]),
    );
  });

  test.each([
    ["Requests per key*", SETTINGS.rate.default],
    ["Distinct matches per key*", SETTINGS["matches-per-day"].default],
    ["Matches per page", PAGE_SIZE],
    ["Players per response", MAX_PLAYERS],
    ["Changes per page", MAX_CHANGES],
    ["Name suggestions per response", MAX_NAMES],
    ["Default time window", WINDOW_DAYS],
    ["Values in one filter", MAX_VALUES],
    ["Characters in `filter[near]`", MAX_NEAR_LENGTH],
    ["`page[offset]` on matches*", SETTINGS["max-offset"].default],
    ["Query parameters per request", MAX_PARAMETERS],
    ["URL length, including scheme and host", MAX_URL_LENGTH],
    [
      "Invalid keys from one IP address*",
      Number(SETTINGS["open-requests-per-minute"].default) / 20,
    ],
    ["Requests without a key from one IP address*", SETTINGS["open-requests-per-minute"].default],
  ])("gives the limit of %p as it is in the code: %p", (what, limit) => {
    const row = table(api, "Limit", "Value", "Beyond it").find(([name]) => name === what);
    expect(row?.[1]).toMatch(new RegExp(`^(the last )?${limit}\\b`));
  });

  test("names only error codes that exist in its limits", () => {
    const rows = table(api, "Limit", "Value", "Beyond it");
    const named = rows.flatMap(([, , beyond]) => codes(beyond!));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !(name in ERRORS))).toEqual([]);
  });

  test("lists the game modes", () => {
    const section = api.slice(api.indexOf("### Game modes"));
    expect(codes(section.slice(0, section.indexOf("\n## ")))).toEqual([...GAME_MODES]);
  });
});

test.each([
  ["document size", SETTINGS["max-record-bytes"].default.replace("MiB", " MiB")],
  ["number of references", MOST_REFERENCES],
  ["names", `1 to ${MAX_NAME_LENGTH}`],
])("docs/records.md gives the limit of %p as it is in the code: %p", (what, limit) => {
  const row = table(page("docs/records.md"), "Where", "Rule").find(([name]) => name === what);
  expect(row?.[1]).toStartWith(String(limit));
});

const program = await buildProgram();

describe("verbs", () => {
  const verbs = everyVerb(program);

  test.each(verbs.map(({ words }) => words))("'matchbook %s' is documented", (words) => {
    expect(everyPage).toContain(`matchbook ${words}`);
  });

  test("in the documentation exist", () => {
    const known = new Set(verbs.flatMap(({ words }) => [words, words.split(" ")[0]!]));
    const groups = new Set(verbs.map(({ words }) => words).filter((words) => words.includes(" ")));
    const named = everyPage.matchAll(/(?:`|\/|^\$ |\()matchbook ([a-z]+)(?: ([a-z][a-z-]*))?/gm);
    const unknown = [...named].filter(([, verb, second]) => {
      const isGroup = [...groups].some((words) => words.startsWith(`${verb} `));
      return !known.has(verb!) || (isGroup && second && !known.has(`${verb} ${second}`));
    });
    expect(unknown.map(([text]) => text)).toEqual([]);
  });

  test("have the documented flags", () => {
    const known = new Set(verbs.flatMap(({ flags }) => flags));
    const named = unique(flagsIn(everyPage));
    // Flags of the benchmark, of test runs, curl and Bun.
    const foreign = [
      ...["bench/run.ts", ...new Bun.Glob("test/trial/**/*.ts").scanSync(ROOT)].flatMap((file) =>
        flagsIn(readFileSync(join(ROOT, file), "utf8")),
      ),
      "--help",
      "--compressed",
      "--max-time",
      "--retry",
      "--retry-max-time",
      "--prefix",
      "--cpu-prof",
      "--update-timings",
      "--runs",
      ...["--recordings", "--cuts", "--only", "--cases", "--minutes", "--without-replica"],
      "--heapallindexed",
    ];
    const unknown = named.filter((flag) => !known.has(flag) && !foreign.includes(flag));
    expect(unknown).toEqual([]);
  });
});

function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
}

interface DocumentedVerb {
  words: string;
  flags: string[];
}

function everyVerb(command: Command, before: string[] = []): DocumentedVerb[] {
  return command.commands.flatMap((verb) => {
    const words = [...before, verb.name()];
    const flags = verb.options.flatMap(({ long }) => long ?? []);
    return [{ words: words.join(" "), flags: [...flags, "--help"] }, ...everyVerb(verb, words)];
  });
}

describe("links", () => {
  test.each(PAGES)("of %s lead somewhere", (name) => {
    const links = [...prose(page(name)).matchAll(/\]\(([^)\s]+)\)/g)].map((link) => link[1]!);
    const dead = links.filter((link) => !/^https?:/.test(link) && !resolves(name, link));
    expect(dead).toEqual([]);
  });

  test("reach every page from the README", () => {
    const reached = new Set(["README.md"]);
    for (const name of reached) {
      for (const [, link] of page(name).matchAll(/\]\(([^)#\s]+)/g)) {
        const target = normalize(join(dirname(name), link!));
        if (pages.has(target)) reached.add(target);
      }
    }
    expect(PAGES.filter((name) => !reached.has(name))).toEqual([]);
  });

  test("and text never point outside the project", () => {
    expect(everyPage).not.toMatch(/\.\.\/shared|\/work\/|issue \d/i);
  });
});

function resolves(from: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? from : normalize(join(dirname(from), path));
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchors(readFileSync(join(ROOT, target), "utf8")).has(anchor);
}

/** The anchors of a page's headings. */
function anchors(text: string): Set<string> {
  const headings = [...prose(text).matchAll(/^#+ (.+)$/gm)].map((heading) => heading[1]!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

describe("ARCHITECTURE.md and CONTRIBUTING.md", () => {
  const maps = prose(page("ARCHITECTURE.md") + page("CONTRIBUTING.md"));
  const sources = [...new Bun.Glob("{src,test}/**/*.{ts,tsx}").scanSync(ROOT)].filter(
    (path) => !path.includes("node_modules"),
  );
  const source = sources.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");

  test("name only files and folders that exist", () => {
    const paths = codes(maps).filter((text) =>
      /^(src|test|bin|docs|client\/src|scripts|\.ci)\/[\w./-]*$/.test(text),
    );
    expect(paths.length).toBeGreaterThan(60);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("name only functions that exist", () => {
    const names = codes(maps).flatMap((text) => /^(\w+)\(\)$/.exec(text)?.[1] ?? []);
    expect(names.length).toBeGreaterThan(50);
    const isDefined = (name: string) =>
      new RegExp(`\\b(?:function\\*? ${name}\\b|const ${name}\\b|\\*?${name}\\()`).test(source);
    expect(names.filter((name) => !isDefined(name))).toEqual([]);
  });

  test("name a function in the file where it is", () => {
    const places = maps.matchAll(/`(\w+)\(\)`\s+in\s+`(src\/[\w./-]+\.ts)`/g);
    const wrong = [...places].filter(
      ([, name, file]) =>
        !new RegExp(`(?:function\\*? |const )${name}\\b`).test(
          readFileSync(join(ROOT, file!), "utf8"),
        ),
    );
    expect(wrong.map(([text]) => text)).toEqual([]);
  });

  test("name every part of src/", () => {
    const rows = table(page("ARCHITECTURE.md"), "Part", "Purpose", "Imports");
    const parts = new Set(rows.map(([part]) => code(part!)));
    const missing = readdirSync(join(ROOT, "src")).filter((part) => !parts.has(part));
    expect(missing).toEqual([]);
    expect([...parts].filter((part) => !existsSync(join(ROOT, "src", part)))).toEqual([]);
  });

  test("list what each part imports", () => {
    const rows = table(page("ARCHITECTURE.md"), "Part", "Purpose", "Imports");
    const parts = rows.map(([part]) => code(part!));
    const listed = new Map(rows.map(([part, , imports]) => [code(part!), codes(imports!).sort()]));
    expect(importsByPart(sources, parts)).toEqual(listed);
  });

  test("name every folder of tests", () => {
    const folders = readdirSync(join(ROOT, "test")).map((folder) => `test/${folder}`);
    const rows = table(page("CONTRIBUTING.md"), "Folder", "For");
    expect(unique(rows.map(([folder]) => code(folder!)))).toEqual(folders.sort());
  });
});

/** For each part of the source, the parts it imports from. */
function importsByPart(sources: string[], parts: string[]): Map<string, string[]> {
  const partOf = (file: string) =>
    parts
      .filter((part) => file === part || file.startsWith(`${part}/`))
      .sort((one, other) => other.length - one.length)[0];
  const found = new Map(parts.map((part) => [part, new Set<string>()]));
  for (const path of sources.filter((one) => one.startsWith("src/"))) {
    const file = path.slice("src/".length);
    const part = partOf(file)!;
    const text = readFileSync(join(ROOT, path), "utf8");
    for (const [, name] of text.matchAll(/^(?:import|export)\b[^;"]*?\bfrom "(\.[^"]+)"/gm)) {
      const target = partOf(normalize(join(dirname(file), name!)));
      if (target && target !== part) found.get(part)!.add(target);
    }
  }
  return new Map([...found].map(([part, targets]) => [part, [...targets].sort()]));
}

test("the changelog has a non-empty Unreleased section", () => {
  const [, section = ""] = page("CHANGELOG.md").split("## [Unreleased]");
  expect(section).toMatch(/^### (Added|Changed|Deprecated|Removed|Fixed|Security)$/m);
  expect(section.match(/^- /gm)!.length).toBeGreaterThan(0);
});
