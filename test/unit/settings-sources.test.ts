/** Which source of a setting counts, and what errors never repeat. Their texts are in test/docs/messages.json. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings, SettingsError, type Sources } from "../../src/settings/load.ts";

const root = mkdtempSync(join(tmpdir(), "matchbook-settings-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
function folderWith(files: Record<string, string>): string {
  const folder = join(root, String(folders++));
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const load = (toml: string | undefined, sources: Partial<Sources> = {}) =>
  loadSettings({
    flags: {},
    env: {},
    cwd: folderWith(toml === undefined ? {} : { "matchbook.toml": toml }),
    ...sources,
  });

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe("the precedence of sources", () => {
  const toml = "port = 1";
  const env = { MATCHBOOK_PORT: "2" };
  const flags = { port: "3" };

  test.each([
    ["a flag overrides everything", toml, { env, flags }, 3, "flag"],
    ["a variable overrides the file", toml, { env }, 2, "variable"],
    ["the file overrides the default", toml, {}, 1, "file"],
    ["the default applies otherwise", undefined, {}, 8080, "default"],
  ] as const)("%s", (_, file, sources, value, origin) => {
    const { values, origins } = load(file, sources);
    expect([values.port, origins.port]).toEqual([value, origin]);
  });
});

describe("the file", () => {
  test("lists may be arrays; shards and tiers are tables", () => {
    const { values, origins } = load(
      'trusted-proxies = ["10.0.0.0/8", "::1"]\n[shards.na]\n[shards.eu]\nurl = "sqlite:/srv/e,u.db"\n',
    );
    expect(String(values["trusted-proxies"])).toBe("10.0.0.0/8,::1");
    expect(values.shards).toEqual([
      { id: "na", location: undefined },
      { id: "eu", location: { engine: "sqlite", path: "/srv/e,u.db" } },
    ]);
    expect([origins.shards, origins.tiers]).toEqual(["file", "default"]);
    expect(values.tiers.map(({ name }) => name)).toEqual(["hobby", "community", "commercial"]);
  });

  test("--config overrides MATCHBOOK_CONFIG, which overrides matchbook.toml", () => {
    const cwd = folderWith({
      "matchbook.toml": "port = 1",
      "b.toml": "port = 2",
      "c.toml": "port = 3",
    });
    const env = { MATCHBOOK_CONFIG: "b.toml" };
    expect(load(undefined, { cwd, env }).values.port).toBe(2);
    expect(load(undefined, { cwd, env, configFile: "c.toml" }).values.port).toBe(3);
  });

  test.each(["shards = [1, { a = 2 }]", 'shards = "na,eu=postgres://me:hunter2@db/m"'])(
    "a value where tables belong is refused with the TOML to write: %s",
    (toml) => {
      const [problem, ...more] = problemsOf(() => load(toml));
      expect(problem).toMatch(/\bshards \(from matchbook\.toml\)[^\n]*\n +\[shards\.na\]/);
      expect(problem).not.toContain("hunter2");
      expect(more).toEqual([]);
    },
  );

  test("MATCHBOOK_SHARDS is refused with the TOML to write instead, without secrets", () => {
    const env = { MATCHBOOK_SHARDS: "na,eu=postgres://me:hunter2@db/m" };
    const [problem, ...more] = problemsOf(() => load(undefined, { env }));
    expect(problem).toMatch(/^MATCHBOOK_SHARDS .*\[shards\.eu\]\n {4}url = "sqlite:/s);
    expect(problem).not.toContain("hunter2");
    expect(more).toEqual([]);
  });
});

describe("problems", () => {
  test.each([
    ["a key that only objects have", "constructor = 5", {}, /"constructor" in matchbook\.toml/],
    ["a value that is overridden", "rate = 0", { flags: { rate: "5" } }, /\brate "0" \(from/],
  ] as [string, string, Partial<Sources>, RegExp][])(
    "%s is reported with its source",
    (_, toml, sources, message) => {
      expect(problemsOf(() => load(toml, sources))).toEqual([expect.stringMatching(message)]);
    },
  );

  test("variables of other programs are ignored", () => {
    expect(problemsOf(() => load(undefined, { env: { PORT: "x", MATCHBOOKS: "1" } }))).toEqual([]);
  });
});
