/** Every command as a process of its own, from the sources. Other tests run them with `matchbook()`, in a process that stays. */

import { expect, test } from "bun:test";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildProgram } from "../../src/cli/program.ts";
import { hasFeature } from "../support/endpoints.ts";
import type { Kind } from "../support/engine.ts";
import { settle, sqliteRows } from "../support/engine-sqlite.ts";
import { ingestAt } from "../support/places.ts";
import { asProcess, MATCHBOOK, matchbook } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";

const folder = sharedFolder();

const original = join(folder, "original");
mkdirSync(join(original, "data"), { recursive: true });
const rosters = duel({ id: "ada" }, { id: "bea" });
await ingestAt(join(original, "data"), [JSON.stringify(aMatch({ id: "one", rosters }))]);
settle(join(original, "data/na.db"));
await matchbook(["backup", "saved"], { cwd: original });

const stdin = `${JSON.stringify(aMatch({ id: "two" }))}\nno record\n`;

/** Command lines, their exit codes, and what the shard lacks. */
type Case = [args: string, exitCode: number, ...missing: Kind[]];
const CASES: Case[] = [
  ["repair na", 0, "player entry"],
  ["verify --full-speed", 1, "player entry"],
  ["ingest - --json", 1],
  ["export na", 0],
  ["keys list", 0],
  ...(hasFeature("webhooks") ? [["hooks list", 0] as Case] : []),
  ["why na one", 0],
  ["withheld na", 0],
  ["status", 0],
  ["shards digest na", 0],
  ["prune na --older-than 36500d", 0],
  ["compact na", 0],
  ["redact na ada --yes", 0],
  ["doctor", 0],
  ["backup another", 0],
  ["restore saved --data elsewhere", 0],
  ["config", 0],
  ["demo --matches 0", 2],
];

/** Commands that run until a signal ends them. */
const SERVING = ["serve", "quickstart"];

test("every command is here", async () => {
  const names = (await buildProgram()).commands.map((command) => command.name());
  const here = CASES.map(([args]) => args.split(" ")[0]!);
  expect([...here, ...SERVING].sort()).toEqual(names.sort());
});

let copies = 0;

/** Without times, sizes and rates. */
const steady = (text: string) => text.replaceAll(/\d[\d.:TZ-]*/g, "0");

test.each(CASES)(
  "'%s' ends with exit code %d, and prints the same as in a process that stays",
  async (args, exitCode, ...missing) => {
    const runIn = async (run: typeof matchbook) => {
      const cwd = join(folder, `copy-${copies++}`);
      cpSync(original, cwd, { recursive: true });
      for (const kind of missing) sqliteRows(join(cwd, "data/na.db")).remove(kind);
      const { stdout, stderr, exitCode } = await run(args.split(" "), { cwd, stdin });
      return { exitCode, stdout: steady(stdout), stderr: steady(stderr) };
    };
    const alone = await runIn((line, options) =>
      asProcess(line, { ...options, program: MATCHBOOK }),
    );
    expect(alone).toMatchObject({ exitCode });
    expect(await runIn(matchbook)).toEqual(alone);
  },
);
