/** Tests that the documentation matches the code: complete, and nothing outdated. */

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { Command } from "commander";
import { buildProgram } from "../../src/cli/program.ts";
import { ERRORS } from "../../src/domain/errors.ts";
import { GAME_MODES } from "../../src/domain/modes.ts";
import { PROFILES } from "../../src/endpoint/compat-profile.ts";
import { FEATURES } from "../../src/features/list.ts";
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
  FLAG_NAMES,
  flagOf,
  GROUPS,
  isSettingName,
  isTableName,
  SETTING_NAMES,
  SETTINGS,
  settingOf,
  VALUE_NAMES,
  variableOf,
} from "../../src/settings/definitions.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { ENDPOINTS, PARAMETERS } from "../support/parameters.ts";
import { ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";
import { blocks, code, codes, fences, PAGES, page, prose, table, tables } from "./markdown.ts";

const everyPage = [...PAGES.values()].join("\n");
const unique = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();
const matchesOf = (pattern: RegExp): string[] =>
  unique([...everyPage.matchAll(pattern)].map(([text]) => text));

describe("docs/settings.md", () => {
  const settings = page("docs/settings.md");
  const rows = tables(settings, "Setting", "Default").flat();

  test("lists every setting and no other, in the groups and the order of the code", () => {
    const groups = Object.keys(GROUPS).map((title) => {
      const section = settings.split(`### ${title}\n`)[1]!.split("\n#")[0]!;
      return [title, table(section, "Setting", "Default").map(([name]) => code(name!))];
    });
    expect(groups).toEqual(
      Object.entries(GROUPS).map(([title, group]) => [title, Object.keys(group)]),
    );
  });

  test.each(SETTING_NAMES.filter((name) => !isTableName(name)))(
    "gives the default of %s",
    (setting) => {
      const [, usual] = rows.find(([name]) => code(name!) === setting)!;
      expect(usual === "(empty)" ? "" : code(usual!)).toBe(
        isTableName(setting) ? "" : settingOf(setting).default,
      );
    },
  );

  test("gives the rule for flags and variables", () => {
    expect([flagOf("max-offset"), variableOf("max-offset")]).toEqual([
      "--max-offset",
      "MATCHBOOK_MAX_OFFSET",
    ]);
    expect(settings).toContain("`--max-offset`");
    expect(settings).toContain("`MATCHBOOK_MAX_OFFSET`");
    const withoutFlag = VALUE_NAMES.filter((name) => !FLAG_NAMES.includes(name));
    const named = rows.filter(([, , meaning]) => meaning!.includes("It has no flag"));
    expect(named.map(([name]) => code(name!))).toEqual(withoutFlag);
  });

  test("shows a file that loads, and says where its shards are", () => {
    const [example] = blocks(settings, "toml");
    using folder = aFolder();
    writeFileSync(join(folder.path, "matchbook.toml"), example!);
    const { values, origins } = loadSettings({ flags: {}, env: {}, cwd: folder.path });
    expect(origins.port).toBe("file");
    expect(values["trusted-proxies"].has("10.1.2.3")).toBe(true);
    const places = values.shards.map(({ id, location }) => [
      id,
      location?.engine === "sqlite" ? location.path : undefined,
    ]);
    expect(places).toEqual([
      ["na", undefined],
      ["eu", "/mnt/fast/eu.db"],
      ["beta", undefined],
    ]);
    expect(values.tiers.map(({ name }) => name)).toEqual(["hobby", "community", "partner"]);
    expect(values.tiers[2]!.shards).toEqual(["*", "beta"]);
  });

  test("and every other page name only variables that exist", () => {
    const known = [...VALUE_NAMES.map(variableOf), variableOf("config")];
    const named = matchesOf(/MATCHBOOK_[A-Z_]+/g);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  test("names only settings in the texts 'the setting `…`' of every page", () => {
    const named = [...everyPage.matchAll(/\bthe settings? `([^`]+)`/g)].map((one) => one[1]!);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !isSettingName(name))).toEqual([]);
  });
});

const KEY_NEEDED = { key: "yes", own: "yes, and no `Accept`", open: "no" };

describe("docs/api.md", () => {
  const api = page("docs/api.md");
  const parameters = table(api, "Parameter", "On");
  const limits = table(api, "Limit", "Value", "Beyond it");

  /** Undefined without the feature. */
  const mostOf = (endpoint: string, parameter: string) =>
    ENDPOINTS.flatMap(({ name, parameters }) => {
      const found = name === endpoint ? parameters[parameter] : undefined;
      return found && "most" in found ? found.most : [];
    })[0];
  const mostItems = (schema: string) =>
    FEATURES.flatMap(({ schemas = {} }) => {
      const properties = schemas[schema]?.properties as { data: { maxItems: number } } | undefined;
      return properties?.data.maxItems ?? [];
    })[0];

  test("lists every parameter, and no other", () => {
    const names = parameters.map(([name]) => code(name!));
    expect(names.toSorted()).toEqual(PARAMETERS.map(({ name }) => name).toSorted());
  });

  test.each(PARAMETERS.map((one) => [one.name, one] as const))(
    "says where %s belongs and what its default is",
    (_, { name, endpoints }) => {
      const row = parameters.find(([first]) => code(first!) === name)!;
      expect(row[1]!.split(", ").toSorted()).toEqual(endpoints.toSorted());
      const usual = ENDPOINTS.flatMap(({ parameters }) => parameters[name]?.default ?? []);
      const missing = usual.filter((one) => !row[2]!.replaceAll("`", "").includes(one));
      expect(missing).toEqual([]);
      if (usual.length === 0) expect(row[2]).toBe("");
    },
  );

  test("and every other page name only parameters that exist", () => {
    const known = new Set(PARAMETERS.map(({ name }) => name));
    // A deliberate mistake in the examples of an error, and a filter that a maintainer may add.
    const others = ["filter[playerName]", "filter[queue]", 'page["data"]', 'page["links"]'];
    const named = matchesOf(/\b(?:filter|page)\[[^\]\n…]+\]/g);
    expect(named.filter((name) => !known.has(name) && !others.includes(name))).toEqual([]);
  });

  test("lists every endpoint with what it accepts, and no other", () => {
    const rows = table(api, "Path", "Returns", "Key needed");
    expect(rows.map(([path, , key]) => [code(path!), key])).toEqual(
      ROUTES.map((route) => [openApiPath(route), KEY_NEEDED[route.access]]),
    );
  });

  test.each(
    [
      ["Requests per key*", SETTINGS.rate.default],
      ["Distinct matches per key*", SETTINGS["matches-per-day"].default],
      ["Matches per page", PAGE_SIZE],
      ["Players per response", MAX_PLAYERS],
      ["Changes per page", mostOf("changes", "page[limit]")],
      ["Name suggestions per response", mostItems("NameList")],
      ["Default time window", WINDOW_DAYS],
      ["Values in one filter", MAX_VALUES],
      ["Characters in `filter[near]`", mostOf("names", "filter[near]")],
      ["`page[offset]` on matches*", SETTINGS["max-offset"].default],
      ["Query parameters per request", MAX_PARAMETERS],
      ["URL length, including scheme and host", MAX_URL_LENGTH],
      [
        "Invalid keys from one IP address*",
        Number(SETTINGS["open-requests-per-minute"].default) / 20,
      ],
      ["Requests without a key from one IP address*", SETTINGS["open-requests-per-minute"].default],
    ].filter(([, limit]) => limit !== undefined),
  )("gives the limit of %p as it is in the code: %p", (what, limit) => {
    const row = limits.find(([name]) => name === what);
    expect(row?.[1]).toMatch(new RegExp(`^(the last )?${limit}\\b`));
  });

  test("names only error codes that exist in its limits", () => {
    const named = limits.flatMap(([, , beyond]) => codes(beyond!));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !(name in ERRORS))).toEqual([]);
  });

  test("lists the game modes", () => {
    const section = api.split("### Game modes")[1]!.split("\n## ")[0]!;
    expect(codes(section)).toEqual([...GAME_MODES]);
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

test("docs/compatibility.md has a line for each part of the profile, at least", () => {
  const rows = table(page("docs/compatibility.md"), "Clients do this", "By default");
  expect(rows.length).toBeGreaterThanOrEqual(Object.keys(PROFILES.gamelocker).length);
});

describe("docs/runbook.md", () => {
  const runbook = page("docs/runbook.md");

  test("has an entry for every alert with its severity, and for no other", () => {
    const file = readFileSync(join(ROOT, "docs/prometheus/matchbook-alerts.yaml"), "utf8");
    const rules = [...file.matchAll(/- alert: (\w+)\n(?:(?!- alert)[\s\S])*?severity: (\w+)/g)];
    const wanted = rules.map(([, name, severity]) => `${name} ${severity}`);
    const rows = table(runbook, "Alert", "Means").flatMap(([names]) =>
      codes(names!).map((name) => `${name} ${names!.includes("**P**") ? "page" : "ticket"}`),
    );
    expect(rows.toSorted()).toEqual(wanted.toSorted());
  });

  test("names only error codes that exist, and has every 5xx", () => {
    const named = table(runbook, "Code", "Cause").flatMap(([names]) => codes(names!));
    expect(named.filter((name) => !(name in ERRORS))).toEqual([]);
    const failures = Object.entries(ERRORS).filter(([, { status }]) => status >= 500);
    expect(failures.map(([name]) => name).filter((name) => !named.includes(name))).toEqual([]);
  });
});

const program = await buildProgram();

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

describe("verbs", () => {
  const verbs = everyVerb(program);
  const listed = table(page("README.md"), "Command", "What it does").flatMap(([commands]) => {
    let group = "";
    return codes(commands!).map((text) => {
      const words = text.replace(/^matchbook /, "").split(/ (?=[A-Z-])/)[0]!;
      if (text.startsWith("matchbook ")) group = words.split(" ").slice(0, -1).join(" ");
      return text.startsWith("matchbook ") ? words : `${group} ${words}`;
    });
  });

  test("are all in the table of README.md, and no other", () => {
    const leaves = verbs.filter(
      ({ words }) => !verbs.some((other) => other.words.startsWith(`${words} `)),
    );
    expect(listed.toSorted()).toEqual(leaves.map(({ words }) => words).toSorted());
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
    const foreign = [
      ...["bench/run.ts", "scripts/build.ts"],
      ...new Bun.Glob("test/trial/**/*.ts").scanSync(ROOT),
    ].flatMap((file) => flagsIn(readFileSync(join(ROOT, file), "utf8")));
    const others = [
      // Of curl, certbot and the conventional server; of scripts with other parsers.
      "--compressed --max-time --retry --retry-max-time --standalone --deploy-hook",
      "--log-level --db --port --target",
      // Of trials, whose help is made of their options.
      "--runs --recordings --cuts --only --cases --minutes --without-replica",
    ].flatMap((flags) => flags.split(" "));
    const unknown = unique(flagsIn(everyPage)).filter(
      (flag) => !known.has(flag) && !foreign.includes(flag) && !others.includes(flag),
    );
    expect(unknown).toEqual([]);
  });
});

function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
}

describe("links", () => {
  const linksOf = (name: string) =>
    [...prose(page(name)).matchAll(/\]\(([^)\s]+)\)/g)].map((link) => link[1]!);

  test.each([...PAGES.keys()])("of %s lead somewhere", (name) => {
    const dead = linksOf(name).filter((link) => !/^https?:/.test(link) && !resolves(name, link));
    expect(dead).toEqual([]);
  });

  test("reach every page from the README", () => {
    const reached = new Set(["README.md"]);
    for (const name of reached) {
      for (const link of linksOf(name)) {
        const target = normalize(join(dirname(name), link.split("#")[0]!));
        if (PAGES.has(target)) reached.add(target);
      }
    }
    expect([...PAGES.keys()].filter((name) => !reached.has(name))).toEqual([]);
  });

  test("and names of pages in the sources, tests and deployment files lead somewhere", () => {
    const files = new Bun.Glob("{src,scripts,test,deploy,client,bench,bin}/**/*");
    const dead = [...files.scanSync({ cwd: ROOT })]
      .filter((file) => !/node_modules|\.data|corpus|dist|\.(db|webp|png|md)$/.test(file))
      .flatMap((file) => {
        const named = readFileSync(join(ROOT, file), "utf8").matchAll(
          /(?<![\w./-])((?:docs|client|bench)\/[\w/-]+\.md|[A-Z]{4,}\.md)(#[\w-]+)?/g,
        );
        return [...named]
          .filter(([link]) => !resolves("README.md", link))
          .map(([link]) => `${file}: ${link}`);
      });
    expect(dead).toEqual([]);
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

  test("name only files and folders that exist", () => {
    const paths = codes(maps).filter((text) =>
      /^(src|test|bin|docs|client\/src|scripts|\.ci)\/[\w./-]*$/.test(text),
    );
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("name every part of src/, and no other", () => {
    const rows = table(page("ARCHITECTURE.md"), "Parts", "Purpose");
    expect(unique(rows.flatMap(([parts]) => codes(parts!)))).toEqual(
      readdirSync(join(ROOT, "src")).sort(),
    );
  });

  test("name every folder of tests", () => {
    const folders = readdirSync(join(ROOT, "test")).map((folder) => `test/${folder}`);
    const rows = table(page("CONTRIBUTING.md"), "Folder", "For");
    expect(unique(rows.flatMap(([names]) => codes(names!)))).toEqual(folders.sort());
  });

  test("name only scripts of package.json, as every other page", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const named = [...everyPage.matchAll(/\bnpm run ([\w:-]+)/g)].map((one) => one[1]!);
    expect(unique(named).filter((name) => !(name in scripts))).toEqual([]);
  });
});

test("no command line of a page that operators copy has a secret", () => {
  const secrets = [
    /-H\s+["']?Authorization/i,
    /:\/\/[^\s/@:]*:[^\s/@]+@/,
    /PASSWORD=\S/,
    /_TOKEN=\S/,
    /mb_\w{10}/,
  ];
  const names = ["install", "operate", "runbook", "admin", "monitoring", "scaling", "settings"];
  const lines = names.flatMap((name) =>
    fences(page(`docs/${name}.md`)).flatMap(({ language, text }) =>
      text
        .split("\n")
        .filter(
          (line) => language === "sh" || (/^(console)?$/.test(language) && line.startsWith("$ ")),
        ),
    ),
  );
  const isSecret = (line: string) => secrets.some((secret) => secret.test(line));
  expect(lines.filter(isSecret)).toEqual([]);
});
