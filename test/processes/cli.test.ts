/** In charge of the command line as a user meets it: help, mistakes, settings, pipes. */

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

/** Every verb and every group of verbs, as the words that call it. */
function everyVerb(command: Command = program, path: string[] = []): string[][] {
  return command.commands.flatMap((verb) => {
    const words = [...path, verb.name()];
    return [words, ...everyVerb(verb, words)];
  });
}

describe("help", () => {
  test.each(everyVerb().map((words) => [words.join(" "), words] as const))(
    "of '%s' explains --data and shows an example of that very verb",
    (name, words) => {
      const { exitCode, stdout, stderr } = matchbook([...words, "--help"]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toContain("--data <DATA>");
      expect(stdout).toContain("Examples:");
      expect(stdout.slice(stdout.indexOf("Examples:"))).toContain(`matchbook ${name}`);
    },
  );

  test("is what no arguments print", () => {
    const { exitCode, stdout } = matchbook([]);
    expect(exitCode).toBe(0);
    for (const [verb] of everyVerb()) expect(stdout).toContain(`  ${verb} `);
  });

  test.each([
    [["help"], ["--help"]],
    [
      ["help", "keys"],
      ["keys", "--help"],
    ],
    [
      ["help", "keys", "create"],
      ["keys", "create", "--help"],
    ],
    [
      ["keys", "help", "create"],
      ["keys", "create", "--help"],
    ],
  ])("is what %p prints too", (words, flag) => {
    expect(matchbook(words)).toEqual(matchbook(flag));
  });

  test("is what a group without its verb prints, as a mistake", () => {
    const { exitCode, stdout, stderr } = matchbook(["keys"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Usage: matchbook keys");
  });

  test("--version prints the package's version", () => {
    expect(matchbook(["--version"]).stdout).toBe(`${version}\n`);
  });
});

describe("a mistake ends with exit 2 and one sentence", () => {
  test.each([
    [["kyes"], "unknown command 'kyes'; did you mean keys?"],
    [["keys", "lst"], "unknown command 'lst'; did you mean list?"],
    [["help", "kyes"], "unknown command 'kyes'; did you mean keys?"],
    [["kyes", "--help"], "unknown command 'kyes'; did you mean keys?"],
    [["help", "keys", "lst"], "unknown command 'lst'; did you mean list?"],
    [
      ["config", "--admin-token", "x"],
      "unknown option '--admin-token'; see 'matchbook config --help'",
    ],
    [["frobnicate"], "unknown command 'frobnicate'; see 'matchbook --help'"],
    [["config", "--prot", "1"], "unknown option '--prot'; did you mean --port?"],
    [
      ["config", "--port"],
      "option '--port <PORT>' argument missing; see 'matchbook config --help'",
    ],
    [["keys", "revoke"], "missing required argument 'id'; see 'matchbook keys revoke --help'"],
    [
      ["config", "--port", "x"],
      'the setting port "x" (from --port) must be a whole number from 0 to 65535',
    ],
  ])("%p", (args, sentence) => {
    expect(matchbook(args)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `matchbook: ${sentence}\n`,
    });
  });

  test.each([
    [["serve", "--shards", "na,eu"], "[shards.eu]\n    url = "],
    [["keys", "list", "--tiers=free; gold"], "[tiers.partner]\n    rate = 300\n"],
  ])("%p, with the TOML to write instead", (args, toml) => {
    const { exitCode, stderr } = matchbook(args);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^matchbook: --(shards|tiers) is not supported: write the /);
    expect(stderr).toContain(toml);
  });

  test("an unknown variable, by its name", () => {
    const { exitCode, stderr } = matchbook(["config"], { MATCHBOOK_PORTS: "1" });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("MATCHBOOK_PORTS is not a setting; did you mean MATCHBOOK_PORT?");
  });

  test("an unknown key of the settings file, by its name", () => {
    writeFileSync(join(cwd, "wrong.toml"), "prt = 1\n");
    const { exitCode, stderr } = matchbook(["keys", "list", "--config", "wrong.toml"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"prt" in wrong.toml is not a setting; did you mean "port"?');
  });
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

test("a reader that goes away ends a verb quietly", () => {
  // The verb starts only when the other end of its pipe has been closed.
  const script = `mkfifo gone
    { cat gone; "$0" config; echo "exit $?" >&2; } | { exec <&-; : > gone; }`;
  const { exitCode, stdout, stderr } = Bun.spawnSync(["sh", "-c", script, MATCHBOOK], {
    cwd,
    env: bare,
  });
  expect([exitCode, String(stdout), String(stderr)]).toEqual([0, "", "exit 0\n"]);
});

test.skipIf(!existsSync("/dev/full"))("output that finds no room is told of, and exit 1", () => {
  const script = '"$0" demo --matches 300 > /dev/full';
  const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", script, MATCHBOOK], { cwd, env: bare });
  expect([exitCode, String(stderr)]).toEqual([
    1,
    "matchbook: cannot write to standard output: the disk is full; make room and run it again\n",
  ]);
});

test("keys are not said to be missing where nobody can look for them", () => {
  writeFileSync(join(cwd, "file"), "");
  for (const verb of ["list", "usage"]) {
    expect(matchbook(["keys", verb, "--data", "file"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr:
        "matchbook: cannot use file/access.sqlite: there is a file where a folder must be; choose another --data\n",
    });
  }
});

test.skipIf(Bun.which("script") === null)(
  "on a terminal, progress overwrites no message, and changes no mode of the terminal",
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
    // On a line of its own, cleared of the progress.
    expect(seen).toContain("\r\x1b[Kwrong.ndjson:1: rejected\r\n    this is not JSON");
    // Neither is a place kept to go back to, nor the cursor hidden, nor the wrapping of lines ended.
    for (const code of ["\x1b7", "\x1b8", "\x1b[?"]) expect(seen).not.toContain(code);
  },
);
