/** Tests the command line as users see it: help, usage errors, settings, pipes. */

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { version } from "../../package.json";
import { buildProgram } from "../../src/cli/program.ts";
import { SETTING_NAMES } from "../../src/settings/definitions.ts";

const MATCHBOOK = resolve(import.meta.dir, "../../bin/matchbook");
const cwd = mkdtempSync(join(tmpdir(), "matchbook-cli-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

// The developer's own settings must not reach the program under test.
const bare = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("MATCHBOOK_")),
);

function matchbook(args: string[], env: Record<string, string> = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([MATCHBOOK, ...args], {
    cwd,
    env: { ...bare, ...env },
  });
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}

const program = await buildProgram();

/** Every verb and group of verbs, with the words that call it. */
function everyVerb(command: Command = program, path: string[] = []): [string, Command][] {
  return command.commands.flatMap((verb) => {
    const words = [...path, verb.name()];
    return [[words.join(" "), verb], ...everyVerb(verb, words)];
  });
}

describe("help", () => {
  test.each(everyVerb())(
    "of '%s' explains --data and shows an example of that verb",
    (name, verb) => {
      let help = "";
      verb.configureOutput({
        writeOut: (text) => {
          help += text;
        },
      });
      verb.outputHelp();
      expect(help).toContain("--data <DATA>");
      expect(help.slice(help.indexOf("Examples:"))).toContain(`matchbook ${name}`);
    },
  );

  test("is printed without arguments", () => {
    const { exitCode, stdout } = matchbook([]);
    expect(exitCode).toBe(0);
    for (const verb of program.commands) expect(stdout).toContain(`  ${verb.name()} `);
  });

  test.each([[["help", "keys", "create"]], [["keys", "help", "create"]]])(
    "is printed by %p",
    (words) => {
      expect(matchbook(words)).toEqual(matchbook(["keys", "create", "--help"]));
    },
  );

  test("is printed by a group without a verb, as a usage error", () => {
    const { exitCode, stdout, stderr } = matchbook(["keys"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Usage: matchbook keys");
  });

  test("--version prints the package's version", () => {
    expect(matchbook(["--version"]).stdout).toBe(`${version}\n`);
  });
});

test.each([
  [["help", "kyes"]],
  [["kyes", "--help"]],
  [["help", "keys", "lst"]],
  [["config", "--admin-token", "x"]],
])("%p is a usage error: exit 2 and one message", (args) => {
  const { exitCode, stdout, stderr } = matchbook(args);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^matchbook: .+\n$/);
});

describe("config", () => {
  test("prints every setting with its value and origin", () => {
    const tables = '[shards.na]\n[shards.eu]\nurl = "postgres://me:hunter2@db/eu"\n';
    writeFileSync(join(cwd, "some.toml"), `host = "::1"\nrate = 120\n${tables}`);
    const { exitCode, stdout } = matchbook(
      ["config", "--config", "some.toml", "--port", "9", "--json"],
      { MATCHBOOK_RATE: "30" },
    );
    expect(exitCode).toBe(0);
    const printed = JSON.parse(stdout);
    expect(Object.keys(printed)).toEqual(SETTING_NAMES);
    expect(printed).toMatchObject({
      port: { value: 9, origin: "flag" },
      rate: { value: 30, origin: "variable" },
      host: { value: "::1", origin: "file" },
      "max-record-bytes": { value: 16_777_216, origin: "default" },
      shards: { value: { na: {}, eu: { url: "postgres://***@db/eu" } }, origin: "file" },
      tiers: { value: { hobby: {}, community: { rate: 300 } }, origin: "default" },
    });
  });

  test("prints the same as a table", () => {
    const { stdout } = matchbook(["config"], { MATCHBOOK_TITLE_ID: "my game" });
    expect(stdout).toMatch(/^SETTING +VALUE +ORIGIN$/m);
    expect(stdout).toMatch(/^title-id +my game +variable$/m);
    expect(stdout).toMatch(/^shards +\(empty\) +default$/m);
    expect(stdout).toMatch(/^tiers\.community\.rate +300 +default$/m);
    const names = stdout.split("\n").slice(1, -1);
    expect([...new Set(names.map((line) => /^[a-z-]+/.exec(line)?.[0]))]).toEqual(SETTING_NAMES);
  });
});

test("a verb exits quietly when its reader closes the pipe", () => {
  // The verb starts only after the other end of its pipe has been closed.
  const script = `mkfifo gone
    { cat gone; "$0" config; echo "exit $?" >&2; } | { exec <&-; : > gone; }`;
  const { exitCode, stdout, stderr } = Bun.spawnSync(["sh", "-c", script, MATCHBOOK], {
    cwd,
    env: bare,
  });
  expect([exitCode, String(stdout), String(stderr)]).toEqual([0, "", "exit 0\n"]);
});

test.skipIf(!existsSync("/dev/full"))("output to a full disk is reported, with exit 1", () => {
  const script = '"$0" demo --matches 300 > /dev/full';
  const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", script, MATCHBOOK], { cwd, env: bare });
  expect([exitCode, String(stderr)]).toEqual([1, expect.stringContaining("the disk is full")]);
});

test("unreadable keys are not reported as missing", () => {
  writeFileSync(join(cwd, "file"), "");
  expect(matchbook(["keys", "list", "--data", "file"])).toMatchObject({ exitCode: 1, stdout: "" });
});

test.skipIf(Bun.which("script") === null)(
  "on a terminal, progress overwrites no message and changes no terminal mode (needs script)",
  () => {
    writeFileSync(join(cwd, "wrong.ndjson"), "no JSON\n");
    const line = `'${MATCHBOOK}' ingest wrong.ndjson --data terminal`;
    const { stdout } = Bun.spawnSync(["script", "-qec", line, "/dev/null"], {
      cwd,
      env: bare,
      stdin: "ignore",
    });
    const seen = String(stdout);
    expect(seen).toContain("ingest 0% | 0 matches");
    // On its own line, after the progress is cleared.
    expect(seen).toContain("\r\x1b[Kwrong.ndjson:1: rejected\r\n    ");
    // The cursor is not saved, restored or hidden, and line wrapping stays on.
    for (const code of ["\x1b7", "\x1b8", "\x1b[?"]) expect(seen).not.toContain(code);
  },
);
