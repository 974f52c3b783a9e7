/** docs/operating.md: its commands exist and print what it shows, and its examples work as written. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { dayOf } from "../../src/access/usage.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { openAccess } from "../../src/open-access.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { ndjson, startAdminWorld, TOKEN } from "../support/admin.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { MATCHBOOK, matchbook, ROOT } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
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

test("the settings file loads, with the values that the page names", () => {
  const { values } = loadSettings({ flags: {}, env: {}, cwd: folder.path });
  expect(values.tiers.map(({ name }) => name)).toEqual(["hobby", "community", "partner"]);
  expect(values["closed-shards"]).toEqual(["beta", "tournament"]);
  expect(values["trusted-proxies"].has("127.0.0.1")).toBe(true);
  expect(page).toContain(`http://127.0.0.1:${values["admin-port"]!.port}/metrics`);
});

test("'matchbook config' prints what the page shows", async () => {
  const { shown } = exchanges.find(({ command }) => command.startsWith("matchbook config"))!;
  const config = join(folder.path, "config.toml");
  writeFileSync(config, blocks("toml")[0]!);
  const { stdout } = await matchbook(["config", "--config", config], { cwd: folder.path });
  expect(plain(stdout)).toMatch(patternOf(shown));
});

test("'matchbook config' prints what docs/settings.md shows", async () => {
  const [, rate, port, shown] =
    /^\$ MATCHBOOK_RATE=(\d+) bin\/matchbook config --port (\d+)\n(.*?)^```$/ms.exec(
      readDoc("settings.md"),
    )!;
  const empty = aFolder();
  const { stdout } = await matchbook(["config", "--port", port!], {
    cwd: empty.path,
    env: { MATCHBOOK_RATE: rate! },
  });
  empty.remove();
  expect(plain(stdout)).toMatch(patternOf([...shown!.trimEnd().split("\n"), "…"]));
});

test("'matchbook verify' prints what the page shows, for a clean and for a damaged shard", async () => {
  const home = aFolder();
  const record = join(home.path, "record.json");
  writeFileSync(record, JSON.stringify(aMatch({ id: "match-1" })));
  await matchbook(["ingest", record, "--data", home.path]);
  const [clean, damaged] = exchanges.filter(({ command }) =>
    command.startsWith("matchbook verify"),
  );
  const lines = async ({ command }: Exchange) => {
    const { stdout } = await matchbook([...wordsOf(command), "--data", home.path]);
    return stdout.trimEnd().split("\n").map(withoutNumbers);
  };
  expect(await lines(clean!)).toEqual(clean!.shown.map(withoutNumbers));
  const rows = sqliteRows(join(home.path, "na.db"));
  rows.remove("player entry", { result: 1 });
  rows.change("evidence", "last", { records: 3 });
  expect(await lines(damaged!)).toEqual(damaged!.shown.map(withoutNumbers));
  home.remove();
});

/** Masks ids and numbers. */
const withoutNumbers = (line: string) =>
  line
    .replaceAll(
      /\b(match|player|row) [0-9a-f-]{8,}|\b(match|player|row) (match|player)-\d+/g,
      "$1$2 ID",
    )
    .replaceAll(/[\d.]+/g, "N");

test("'matchbook repair' prints what the page shows", async () => {
  const home = aFolder();
  const records = Array.from({ length: 30 }, () => JSON.stringify(aMatch()));
  await matchbook(["ingest", "-", "--data", home.path], { stdin: records.join("\n") });
  sqliteRows(join(home.path, "na.db")).change("match", "last", { document: new Uint8Array(400) });
  const { command, shown } = exchanges.find(({ command }) =>
    command.startsWith("matchbook repair"),
  )!;
  const { stdout, stderr } = await matchbook([...wordsOf(command), "--data", home.path]);
  const masked = (text: string) =>
    text
      .replace(/(is damaged: documents ).*/, "$1ID")
      .replaceAll(/\S+(?=na\.db)/g, "DIR/")
      .replaceAll(/\d+/g, "N");
  expect(masked(`${stderr}${stdout}`.trimEnd())).toBe(masked(shown.join("\n")));
  home.remove();
});

test("a store of a newer version is refused, with both versions, as the page shows", async () => {
  const newer = aFolder();
  const file = join(newer.path, "access.sqlite");
  await matchbook(["keys", "create", "--name", "me", "--data", newer.path]);
  const sqlite = new Database(file);
  const { user_version: known } = sqlite
    .query<{ user_version: number }, []>("PRAGMA user_version")
    .get()!;
  sqlite.run(`PRAGMA user_version = ${known + 1}`);
  sqlite.close();
  const { exitCode, stderr } = await matchbook(["keys", "list", "--data", newer.path]);
  newer.remove();
  const message = (path: string, found: number | string, supported: number | string) =>
    new RegExp(
      `^matchbook: ${RegExp.escape(path)} was written by a newer Matchbook .*\\b${found}\\b.*\\b${supported}\\b`,
      "m",
    );
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(message(file, known + 1, known));
  expect(page).toMatch(message("/var/lib/matchbook/access.sqlite", 4, 3));
});

describe("the shell commands", () => {
  const scripts = blocks("sh");

  test("are valid", () => {
    const isValid = (script: string) =>
      Bun.spawnSync(["bash", "-n"], { stdin: Buffer.from(script) }).exitCode === 0;
    expect(scripts.filter((script) => !isValid(script))).toEqual([]);
  });

  test("use no file or folder that no step before has created", () => {
    const own = /\/(?:etc|usr\/local|var|root|srv|opt)\/[\w./-]*matchbook[\w./-]*/g;
    const created: string[] = [];
    const missing: string[] = [];
    for (const line of scripts.join("").split("\n")) {
      for (const [path] of line.matchAll(own)) {
        const isThere = created.some((one) => path === one || path.startsWith(`${one}/`));
        if (!isThere && !creates(line, path)) missing.push(`${path} in: ${line}`);
      }
      for (const [path] of line.matchAll(own)) if (creates(line, path)) created.push(path);
      // The unit creates its state directory when it starts.
      if (line === "systemctl start matchbook") created.push(stateDirectory());
    }
    expect(created).toContain("/etc/matchbook/admin-token");
    expect(missing).toEqual([]);
  });

  const creates = (line: string, path: string) =>
    (line.startsWith("install ") && line.endsWith(path)) || line.includes(`> ${path}`);

  function stateDirectory(): string {
    const unit = readFileSync(join(ROOT, "deploy/systemd/matchbook.service"), "utf8");
    return `/var/lib/${/^StateDirectory=(.+)$/m.exec(unit)![1]}`;
  }

  test.skipIf(Bun.which("curl") === null)(
    "read the metrics and upload records, with the token in a file (needs curl)",
    async () => {
      const world = await startAdminWorld();
      const home = aFolder();
      writeFileSync(join(home.path, "admin-token"), `${TOKEN}\n`);
      writeFileSync(join(home.path, "matches.ndjson"), ndjson([aMatch(), aMatch()]));
      const run = async (text: string) => {
        const script = scripts
          .find((one) => one.includes(text))!
          .replaceAll("/etc/matchbook", home.path)
          .replaceAll("http://127.0.0.1:8081", world.adminUrl);
        const child = Bun.spawn(["bash", "-euc", script], { cwd: home.path });
        return new Response(child.stdout).text();
      };
      expect(await run("/metrics")).toContain("matchbook_build_info");
      await run("/ingest");
      const { report } = await Bun.file(join(home.path, "result.json")).json();
      expect(report.stored).toBe(2);
      home.remove();
      await world.stop();
    },
  );

  test("install the files of deploy/systemd as their comments say", () => {
    const unit = readFileSync(join(ROOT, "deploy/systemd/matchbook.service"), "utf8");
    const targets = [...unit.matchAll(/^#\s+install .* (\/\S+?)(?: &&.*)?$/gm)].map(
      (one) => one[1]!,
    );
    expect(targets.length).toBeGreaterThanOrEqual(4);
    const installed = scripts.find((script) => script.includes("systemd-sysusers"))!;
    expect(targets.filter((target) => !installed.includes(target))).toEqual([]);
  });
});

test("the shell commands back up and restore as the page shows", async () => {
  const home = aFolder();
  const data = join(home.path, "data");
  const copies = join(home.path, "copies");
  mkdirSync(copies);
  const records = ["na", "na", "eu", "eu"].map((shard, at) => aMatch({ id: `match-${at}`, shard }));
  await matchbook(["ingest", "-", "--data", data], { stdin: ndjson(records) });
  for (const name of ["kept", "other"]) {
    await matchbook(["keys", "create", "--name", name, "--data", data]);
  }
  const access = openAccess({ data });
  const day = { day: dayOf(Date.now()), requests: new Map(), records: 0, lastSeen: Date.now() };
  const before = { ...day, day: day.day - 1 };
  await access.usage.add(
    [day, before].map((one) => ({ keyId: "k_0000000000", ...one })),
    [],
  );
  await access.close();
  const local = (text: string) =>
    text
      .replaceAll("/var/lib/matchbook", data)
      .replaceAll("/var/backups/matchbook", copies)
      .replaceAll("$(date +%F)", "2026-11-17");
  const run = (text: string): string => {
    const script = local(blocks("sh").find((one) => one.includes(text))!);
    const env = {
      ...process.env,
      MATCHBOOK_DATA: data,
      PATH: `${dirname(MATCHBOOK)}:${process.env.PATH}`,
    };
    const { exitCode, stdout, stderr } = Bun.spawnSync(["bash", "-euc", script], { env });
    expect([text, exitCode, stderr.toString()]).toEqual([
      text,
      0,
      text.includes("--keys") ? expect.any(String) : "",
    ]);
    return stdout.toString();
  };
  const expectShown = (printed: string, command: string) => {
    const { shown } = exchanges.find((one) => one.command.startsWith(command))!;
    const numbers = (text: string) => plain(text).replaceAll(/[0-9a-f]{16}…|\d+(\.\d+)?/g, "N");
    expect(numbers(printed)).toBe(numbers(local(shown.join("\n"))));
  };
  const list = async () => (await matchbook(["keys", "list", "--data", data])).stdout;

  expectShown(run("matchbook backup"), "matchbook backup");
  await matchbook(["keys", "create", "--name", "later", "--data", data]);
  expect(await list()).toContain("later");
  expectShown(run("mv na.db*"), "matchbook restore");
  run("--keys");
  expect(await list()).toContain("kept");
  expect(await list()).not.toContain("later");
  home.remove();
}, 60_000);

test("'matchbook redact' prints what the page shows", async () => {
  const home = aFolder();
  const shown = exchanges.filter(({ command }) => command.startsWith("matchbook redact"));
  expect(shown.map(({ command }) => wordsOf(command).at(-1))).toEqual([
    "--dry-run",
    "--yes",
    "--list",
  ]);
  const id = wordsOf(shown[0]!.command)[2]!;
  const rosters = () => duel({ id }, { id: "other" });
  const records = [
    aMatch({ rosters: rosters() }),
    aMatch({ rosters: rosters() }),
    aMatch({ rosters: rosters(), mode: "practice" }),
  ];
  await matchbook(["ingest", "-", "--data", home.path], { stdin: ndjson(records) });
  for (const { command, shown: lines } of shown) {
    const args = [...wordsOf(command), "--data", home.path];
    const { exitCode, stdout, stderr } = await matchbook(args);
    expect([exitCode, stderr, plain(stdout)]).toEqual([
      0,
      "",
      expect.stringMatching(patternOf(lines)),
    ]);
  }
  home.remove();
}, 60_000);

/** Pages whose command lines operators copy. */
const COPIED = ["operating.md", "admin.md", "monitoring.md", "scaling.md", "settings.md"];

test.each(COPIED)("no command line of docs/%s contains a secret", (name) => {
  const fences = [...readDoc(name).matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  const commands = fences
    .filter(([, language]) => ["", "sh", "console"].includes(language!))
    .flatMap(([, language, text]) =>
      text!.split("\n").filter((line) => language === "sh" || line.startsWith("$ ")),
    );
  const secrets = [
    /-H\s+["']?Authorization/i,
    /:\/\/[^\s/@:]*:[^\s/@]+@/,
    /PASSWORD=\S/,
    /_TOKEN=\S/,
    /mb_\w{10}/,
  ];
  expect(commands.filter((line) => secrets.some((secret) => secret.test(line)))).toEqual([]);
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

test("nginx limits the routes that Matchbook does not, and no other", () => {
  const [, pattern] = /location ~ (\S+) \{/.exec(blocks("nginx")[0]!)!;
  const limited = ROUTES.filter(({ path }) => new RegExp(pattern!).test(path));
  expect(limited).toEqual(ROUTES.filter(({ access }) => access === "open"));
});

test("the alerts are those of docs/prometheus", () => {
  const file = readDoc("prometheus/matchbook-alerts.yaml");
  const rules = [...file.matchAll(/- alert: (\w+)/g)].map((one) => one[1]!);
  const named = [...page.matchAll(/`(Matchbook[A-Z]\w+)`/g)].map((one) => one[1]!);
  expect(named.length).toBeGreaterThanOrEqual(5);
  expect(named.filter((name) => !rules.includes(name))).toEqual([]);
});

test("the commands that prune and compact a shard print what the page shows", async () => {
  const home = aFolder();
  const ages = { old: 500, older: 600, void: 450, recent: 5 };
  const records = Object.entries(ages).map(([id, days]) =>
    aMatch({
      id,
      shard: "na",
      mode: "casual",
      createdAt: Date.now() - days * 86_400_000,
      ending: id === "void" ? "notenoughplayers" : "victory",
    }),
  );
  const env = { MATCHBOOK_DATA: home.path };
  await matchbook(["ingest", "-"], { env, stdin: ndjson(records) });
  const shown = exchanges.filter(({ command }) => /^matchbook (prune|compact) /.test(command));
  expect(shown).toHaveLength(3);
  for (const { command, shown: lines } of shown) {
    const { stdout } = await matchbook(wordsOf(command), { env, cwd: home.path });
    const withoutSizes = (text: string) => text.replaceAll(/\d+ bytes/g, "SIZE");
    expect(withoutSizes(plain(stdout))).toMatch(patternOf(lines.map(withoutSizes)));
  }
  home.remove();
}, 60_000);

describe("the key commands of the page, in order,", () => {
  const KEYS = "matchbook keys ";
  /** Ids on the page, mapped to the ids of this run. */
  const ids = new Map<string, string>();

  const run = async (command: string): Promise<string> => {
    const args = wordsOf(command).map((word) => ids.get(word) ?? word);
    const env = { MATCHBOOK_DATA: data };
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
