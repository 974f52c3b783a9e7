/** In charge of docs/operating.md: its commands exist and print what it shows, its examples fit the code. */

import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { dayOf } from "../../src/access/usage.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { openAccess } from "../../src/open-stores.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { matchbook, ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const readDoc = (name: string) => readFileSync(join(ROOT, "docs", name), "utf8");
const page = readDoc("operating.md");

const blocks = (language: string): string[] =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter((fence) => fence[1] === language)
    .map((fence) => fence[2]!);

/** A command of the page and the output shown below it. */
interface Exchange {
  command: string;
  shown: string[];
}

const exchanges: Exchange[] = blocks("console")
  .flatMap((block) => block.split(/^\$ /m).slice(1))
  .map((text) => {
    const [command, ...shown] = text.trimEnd().split("\n");
    return { command: command!, shown };
  })
  .filter(({ command }) => command.startsWith("matchbook "));

/** The arguments after `matchbook`, up to a pipe, without quotes. */
const wordsOf = (command: string): string[] =>
  [...command.split(" | ")[0]!.matchAll(/"([^"]*)"|(\S+)/g)]
    .map((one) => one[1] ?? one[2]!)
    .slice(1);

const matchbookProgram = await buildProgram();

/** The verb at the start of the arguments, as far as it exists. */
function verbOf(words: readonly string[], program: Command = matchbookProgram): Command {
  const verb = program.commands.find((one) => one.name() === words[0]);
  return verb ? verbOf(words.slice(1), verb) : program;
}

const folder = aFolder();
const data = join(folder.path, "data");
const SHARDS = ["eu", "na", "tournament"].map((id) => `[shards.${id}]\n`);
writeFileSync(join(folder.path, "matchbook.toml"), [blocks("toml")[0]!, ...SHARDS].join("\n"));
afterAll(() => folder.remove());

test("the settings file loads, and says what the page says of it", () => {
  const { values } = loadSettings({ flags: {}, env: {}, cwd: folder.path });
  expect(values.tiers.map(({ name }) => name)).toEqual(["hobby", "community", "partner"]);
  expect(values["closed-shards"]).toEqual(["beta", "tournament"]);
  expect(values["trusted-proxies"].has("127.0.0.1")).toBe(true);
  expect(page).toContain(`"127.0.0.1:${values["admin-port"]}"`);
});

test.each(exchanges.map(({ command }) => command))(
  "'%s' has a verb with these flags",
  (command) => {
    const words = wordsOf(command);
    const verb = verbOf(words);
    expect(verb.commands).toEqual([]);
    const known = verb.options.map(({ long }) => long as string);
    expect(known).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith("--"))));
  },
);

test("nginx limits the addresses that Matchbook does not, and no other", () => {
  const [, pattern] = /location ~ (\S+) \{/.exec(blocks("nginx")[0]!)!;
  const limited = ROUTES.filter(({ path }) => new RegExp(pattern!).test(path));
  expect(limited).toEqual(ROUTES.filter(({ access }) => access === "open"));
});

test("the alarms are those of monitoring.md", () => {
  const rules = [...readDoc("monitoring.md").matchAll(/- alert: (\w+)/g)].map((one) => one[1]!);
  const named = [...page.matchAll(/`(Matchbook[A-Z]\w+)`/g)].map((one) => one[1]!);
  expect(named.length).toBeGreaterThanOrEqual(5);
  expect(named.filter((name) => !rules.includes(name))).toEqual([]);
});

describe("the key commands of the page, in order,", () => {
  const KEYS = "matchbook keys ";
  /** Ids on the page, mapped to the ids of this run. */
  const ids = new Map<string, string>();

  const run = async (command: string): Promise<string> => {
    const args = wordsOf(command).map((word) => ids.get(word) ?? word);
    const env = {
      MATCHBOOK_DATA: data,
    };
    const { exitCode, stdout, stderr } = await matchbook(args, { cwd: folder.path, env });
    expect([command, exitCode]).toEqual([command, 0]);
    return stdout + stderr;
  };

  test("print what it shows", async () => {
    for (const { command, shown } of exchanges.filter((one) => one.command.startsWith(KEYS))) {
      const isAboutUse = command.startsWith(`${KEYS}usage`);
      if (isAboutUse) await askWithKeys([...ids.values()]);
      const printed = await run(command);
      const made = /Created key (\w+) for/;
      const id = made.exec(shown.join("\n"))?.[1];
      if (id !== undefined) ids.set(id, made.exec(printed)![1]!);
      if (isAboutUse)
        expect([command, headsOf(printed)]).toEqual([command, headsOf(shown.join("\n"))]);
      else expect(plain(printed)).toMatch(patternOf(shown));
    }
    expect(ids.size).toBe(4);
  }, 60_000);

  /** Records some usage, so that there is something to show. */
  async function askWithKeys(keyIds: readonly string[]): Promise<void> {
    const access = openAccess({ data });
    const now = Date.now();
    const requests = new Map([[200, 7]]);
    const day = { day: dayOf(now), requests, records: 12, lastSeen: now };
    await access.usage.add(
      keyIds.map((keyId) => ({ keyId, ...day })),
      [],
    );
    await access.close();
  }
});

/** Masks what differs between runs: ids, secrets, times, and the column widths that depend on them. */
function plain(text: string): string {
  return text
    .replaceAll(/\bk_\w{10}/g, "ID")
    .replaceAll(/\bmb_\w+…?/g, "SECRET")
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, "MOMENT")
    .replaceAll(/ +/g, " ")
    .trimEnd();
}

/** What the output must look like; a line `…` stands for any number of lines. */
function patternOf(shown: readonly string[]): RegExp {
  const lines = plain(shown.join("\n"))
    .split("\n")
    .map((line) => (line === "…" ? "[^]*" : RegExp.escape(line)));
  return new RegExp(`^${lines.join("\n")}$`);
}

/** What does not depend on numbers: table headers and JSON members. */
function headsOf(text: string): string[] {
  const heads = text.split("\n").filter((line) => /^[A-Z]+ .*[A-Z]$/.test(line));
  const members = [...text.matchAll(/"([a-zA-Z]+)":/g)].map((one) => one[1]!);
  return [...heads.map((head) => head.replaceAll(/ +/g, " ")), ...new Set(members)];
}
