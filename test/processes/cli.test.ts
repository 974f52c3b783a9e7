/** Tests the command line as users see it: help, settings, a full disk, a terminal. Messages are in test/docs/messages.json. */

import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { buildProgram } from "../../src/cli/program.ts";
import { SETTING_NAMES } from "../../src/settings/definitions.ts";
import { asProcess, MATCHBOOK, surroundings } from "../support/process.ts";
import { sharedFolder } from "../support/shared.ts";

const cwd = sharedFolder();

/** Not the executable, and in a process of its own. */
const matchbook = (args: string[], env: Record<string, string> = {}) =>
  asProcess(args, { program: MATCHBOOK, cwd, env });

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
    "of '%s' explains --data, unless it is a group, and shows an example of that verb",
    (name, verb) => {
      let help = "";
      verb.configureOutput({
        writeOut: (text) => {
          help += text;
        },
      });
      verb.outputHelp();
      if (verb.commands.length === 0) expect(help).toContain("--data <DATA>");
      expect(help.slice(help.indexOf("Examples:"))).toContain(`matchbook ${name}`);
    },
  );

  test("is printed without arguments", async () => {
    const { exitCode, stdout } = await matchbook([]);
    expect(exitCode).toBe(0);
    for (const verb of program.commands) expect(stdout).toContain(`  ${verb.name()} `);
  });

  test.each([[["help", "keys", "create"]], [["keys", "help", "create"]]])(
    "is printed by %p",
    async (words) => {
      expect(await matchbook(words)).toEqual(await matchbook(["keys", "create", "--help"]));
    },
  );

  test("is printed by a group without a verb, as a usage error", async () => {
    const { exitCode, stdout, stderr } = await matchbook(["keys"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Usage: matchbook keys");
  });
});

describe("config", () => {
  test("prints every setting with its value and origin", async () => {
    const tables = '[shards.na]\n[shards.eu]\nurl = "postgres://me:hunter2@db/eu"\n';
    writeFileSync(join(cwd, "some.toml"), `host = "::1"\nrate = 120\n${tables}`);
    const { exitCode, stdout } = await matchbook(
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

  test("prints the same as a table", async () => {
    const { stdout } = await matchbook(["config"], { MATCHBOOK_TITLE_ID: "my game" });
    expect(stdout).toMatch(/^SETTING +VALUE +ORIGIN$/m);
    expect(stdout).toMatch(/^title-id +my game +variable$/m);
    expect(stdout).toMatch(/^shards +\(empty\) +default$/m);
    expect(stdout).toMatch(/^tiers\.community\.rate +300 +default$/m);
    const names = stdout.split("\n").slice(1, -1);
    expect([...new Set(names.map((line) => /^[a-z-]+/.exec(line)?.[0]))]).toEqual(SETTING_NAMES);
  });
});

test.skipIf(!existsSync("/dev/full"))("output to a full disk is reported, with exit 1", () => {
  const script = '"$0" demo --matches 300 > /dev/full';
  const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", script, MATCHBOOK], {
    cwd,
    env: surroundings(),
  });
  expect([exitCode, String(stderr)]).toEqual([1, expect.stringContaining("the disk is full")]);
});

test.skipIf(Bun.which("script") === null)(
  "on a terminal, progress overwrites no message and changes no terminal mode (needs script)",
  () => {
    writeFileSync(join(cwd, "wrong.ndjson"), "no JSON\n");
    const line = `'${MATCHBOOK}' ingest wrong.ndjson --data terminal`;
    const { stdout } = Bun.spawnSync(["script", "-qec", line, "/dev/null"], {
      cwd,
      env: surroundings(),
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
