/** The pages for operators: commands exist and print what is shown, and examples work as written. */

import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { dayOf } from "../../src/access/usage.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { openAccess } from "../../src/open-access.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { ndjson, startAdminWorld, TOKEN } from "../support/admin.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { linesOf } from "../support/places.ts";
import { matchbook, PROGRAM, ROOT, RUNTIME_OPTIONS } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";
import { blocks, type Exchange, exchanges, page, patternOf, plain, wordsOf } from "./markdown.ts";

const pages = ["install", "operate", "runbook"].map((name) => page(`docs/${name}.md`));
const everyPage = pages.join("\n");
const sessions = exchanges(everyPage, "console");
const scripts = blocks(everyPage, "sh");
const settings = blocks(pages[0]!, "toml")[0]!;

const of = (command: string): Exchange[] =>
  sessions.filter((one) => one.command.startsWith(`matchbook ${command}`));
const scriptWith = (text: string): string => scripts.find((script) => script.includes(text))!;

const folder = sharedFolder();
let made = 0;

/** A folder with a data folder of these records. */
async function aHome(records: readonly string[] = []) {
  const path = join(folder, `home-${made++}`);
  mkdirSync(path);
  const data = join(path, "data");
  const run = (args: readonly string[], stdin?: string) =>
    matchbook([...args], {
      cwd: path,
      env: { MATCHBOOK_DATA: data },
      ...(stdin === undefined ? {} : { stdin }),
    });
  if (records.length > 0) expect((await run(["ingest", "-"], records.join("\n"))).exitCode).toBe(0);
  return { path, data, run };
}

/** Runs a script of a page with other folders. Returns its output. */
function bash(script: string, data: string, replaced: Record<string, string> = {}): string {
  let text = script;
  for (const [from, to] of Object.entries(replaced)) text = text.replaceAll(from, to);
  const env = {
    ...process.env,
    ...RUNTIME_OPTIONS,
    MATCHBOOK_DATA: data,
    PATH: `${dirname(PROGRAM)}:${process.env.PATH}`,
  };
  const { exitCode, stdout, stderr } = Bun.spawnSync(["bash", "-euc", text], {
    env,
    cwd: dirname(data),
  });
  expect([script, exitCode, exitCode === 0 ? "" : stderr.toString()]).toEqual([script, 0, ""]);
  return stdout.toString();
}

const lines = (records: object[]): string[] => records.map((record) => JSON.stringify(record));
const shownIs = (printed: string, { shown }: Exchange) =>
  expect(plain(printed)).toMatch(patternOf(plain(shown.join("\n"))));

/** Also without numbers, and ids and folders of records and shards. */
const masked = (text: string): string =>
  plain(text)
    .replaceAll(/\b(match|player|row) ([0-9a-f-]{8,}|(match|player)-\d+)/g, "$1 ID")
    .replace(/(is damaged: documents ).*/, "$1ID")
    .replaceAll(/\S+(?=na\.db|access\.sqlite)/g, "DIR/")
    .replaceAll(/[0-9a-f]{16}…|\d[\d.]*/g, "N");
const numbersAside = (printed: string, { shown }: Exchange) =>
  expect(masked(printed)).toBe(masked(shown.join("\n")));

describe("docs/install.md", () => {
  test("has a settings file that loads, with the values that the page names", async () => {
    const home = await aHome();
    writeFileSync(join(home.path, "matchbook.toml"), settings);
    const { values } = loadSettings({ flags: {}, env: {}, cwd: home.path });
    expect(values["closed-shards"]).toEqual(["beta"]);
    expect(values["trusted-proxies"].has("127.0.0.1")).toBe(true);
    expect(everyPage).toContain(`http://127.0.0.1:${values["admin-port"]!.port}/metrics`);
  });

  test("shows what 'matchbook doctor' prints after the installation", async () => {
    const home = await aHome(lines([aMatch()]));
    writeFileSync(join(home.path, "matchbook.toml"), settings);
    for (const exchange of exchanges(pages[0]!, "console")) {
      const { stdout } = await home.run(wordsOf(exchange.command));
      shownIs(stdout, exchange);
    }
  });

  test("installs the units of deploy/systemd as their comments say", () => {
    const script = scriptWith("systemd-sysusers");
    for (const name of ["matchbook.service", "matchbook-backup.service"]) {
      const unit = readFileSync(join(ROOT, "deploy/systemd", name), "utf8");
      const files = [...unit.matchAll(/^#\s+install .* (deploy\S+|dist\S+|matchbook.toml)/gm)];
      expect(files.length).toBeGreaterThanOrEqual(2);
      expect(files.filter(([, file]) => !script.includes(file!))).toEqual([]);
    }
  });

  test("limits in nginx the routes that need no key, and no other", () => {
    const [, pattern] = /location ~ (\S+) \{/.exec(blocks(pages[0]!, "nginx")[0]!)!;
    const limited = ROUTES.filter(({ path }) => new RegExp(pattern!).test(path));
    expect(limited).toEqual(ROUTES.filter(({ access }) => access === "open"));
  });

  test.skipIf(Bun.which("curl") === null)(
    "reads the metrics and uploads records, with the token in a file (needs curl)",
    async () => {
      await using world = await startAdminWorld();
      const home = await aHome();
      writeFileSync(join(home.path, "admin-token"), `${TOKEN}\n`);
      writeFileSync(join(home.path, "matches.ndjson"), ndjson([aMatch(), aMatch()]));
      const run = async (text: string) => {
        const script = scriptWith(text)
          .replaceAll("/etc/matchbook", home.path)
          .replaceAll("http://127.0.0.1:8081", world.adminUrl);
        const child = Bun.spawn(["bash", "-euc", script], { cwd: home.path });
        return new Response(child.stdout).text();
      };
      expect(await run("/metrics")).toContain("matchbook_build_info");
      await run("/ingest");
      const { report } = await Bun.file(join(home.path, "result.json")).json();
      expect(report.stored).toBe(2);
    },
  );
});

test("'matchbook config' prints what docs/settings.md shows", async () => {
  const [, rate, port, shown] =
    /^\$ MATCHBOOK_RATE=(\d+) bin\/matchbook config --port (\d+)\n(.*?)^```$/ms.exec(
      page("docs/settings.md"),
    )!;
  const home = await aHome();
  const { stdout } = await matchbook(["config", "--port", port!], {
    cwd: home.path,
    env: { MATCHBOOK_RATE: rate! },
  });
  expect(plain(stdout)).toMatch(patternOf(plain(`${shown}…`)));
});

describe("the shell commands", () => {
  test("are valid", () => {
    const isValid = (script: string) =>
      Bun.spawnSync(["bash", "-n"], { stdin: Buffer.from(script) }).exitCode === 0;
    expect(scripts.filter((script) => !isValid(script))).toEqual([]);
  });

  test("use no file or folder that no step before has created", () => {
    const own = /\/(?:etc|usr\/local|var|root|srv|opt)\/[\w./-]*matchbook[\w./-]*/g;
    const creates = (line: string, path: string) =>
      (line.startsWith("install ") && line.endsWith(path)) || line.includes(`> ${path}`);
    const created: string[] = [];
    const missing: string[] = [];
    for (const line of scripts.join("").split("\n")) {
      for (const [path] of line.matchAll(own)) {
        const isThere = created.some((one) => path === one || path.startsWith(`${one}/`));
        if (!isThere && !creates(line, path)) missing.push(`${path} in: ${line}`);
      }
      for (const [path] of line.matchAll(own)) if (creates(line, path)) created.push(path);
      // The unit creates its state directory when it starts.
      if (line.startsWith("systemctl start matchbook")) created.push("/var/lib/matchbook");
    }
    expect(created).toContain("/etc/matchbook/admin-token");
    expect(missing).toEqual([]);
  });
});

describe("shards of demo records", () => {
  let home: Awaited<ReturnType<typeof aHome>>;
  beforeAll(async () => {
    home = await aHome();
    const demo = ["demo", "--matches", "60", "--seed", "3", "--until", "2026-03-01T18:00:00Z"];
    await home.run(["ingest", "-"], (await home.run(demo)).stdout);
    await home.run(["keys", "create", "--name", "me"]);
    writeFileSync(join(home.path, "matchbook.toml"), 'log-level = "silent"\n');
  });

  test("'matchbook doctor' prints what the page shows", async () => {
    const path = (name: string) => join(home.data, name);
    copyFileSync(path("eu.db"), path("EU.db"));
    writeDamagedShard(path("na.db"));
    const { exitCode, stdout } = await home.run(["doctor"]);
    expect(exitCode).toBe(1);
    const shown = exchanges(pages[1]!, "console").find(({ command }) =>
      command.endsWith(" doctor"),
    )!;
    const printed = stdout.replaceAll(home.data, "data").split("\n").map(comparable);
    const expected = shown.shown.map(comparable);
    expect(expected.length).toBeGreaterThan(10);
    expect(expected.filter((line) => line !== "…" && !printed.includes(line))).toEqual([]);
  });

  /** Without what depends on the machine or on other lines: the level of some, sizes, and the width of columns. */
  const comparable = (line: string): string =>
    line
      .replace(/^\w+ +(versions|disk|clock|descriptors) .*/, "$1")
      .replace(/^(\d+ problems?), .*/, "$1")
      .replaceAll(/[\d.]+ MiB|\d+ matches|newest [\dTZ:-]+/g, "N")
      .replaceAll(/ +/g, " ");
});

test("'matchbook verify' prints what the page shows, for a clean and for a damaged shard", async () => {
  const home = await aHome(lines([aMatch({ id: "match-1" })]));
  const [clean, damaged] = of("verify") as [Exchange, Exchange];
  numbersAside((await home.run(wordsOf(clean.command))).stdout, clean);
  const rows = sqliteRows(join(home.data, "na.db"));
  rows.remove("player entry", { result: 1 });
  rows.change("evidence", "last", { records: 3 });
  numbersAside((await home.run(wordsOf(damaged.command))).stdout, damaged);
});

test("'matchbook repair' prints what the page shows", async () => {
  const home = await aHome(lines(Array.from({ length: 30 }, () => aMatch())));
  sqliteRows(join(home.data, "na.db")).change("match", "last", { document: new Uint8Array(400) });
  const [repair] = of("repair") as [Exchange];
  const { stdout, stderr } = await home.run(wordsOf(repair.command));
  numbersAside(stderr + stdout, repair);
});

test("a store of a newer version is refused, with both versions, as the page shows", async () => {
  const home = await aHome();
  await home.run(["keys", "create", "--name", "me"]);
  const sqlite = new Database(join(home.data, "access.sqlite"));
  const known = sqlite.query<{ user_version: number }, []>("PRAGMA user_version").get()!;
  sqlite.run(`PRAGMA user_version = ${known.user_version + 1}`);
  sqlite.close();
  const { exitCode, stderr } = await home.run(["keys", "list"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`format ${known.user_version + 1}; this version supports`);
  expect(masked(stderr)).toBe(masked(blocks(pages[1]!, "text")[0]!));
});

describe("backups", () => {
  let home: Awaited<ReturnType<typeof aHome>>;
  let copies: string;
  let folderNames: Record<string, string>;
  beforeAll(async () => {
    home = await aHome(
      lines(["na", "na", "eu", "eu"].map((shard, at) => aMatch({ id: `match-${at}`, shard }))),
    );
    copies = join(home.path, "copies");
    mkdirSync(copies);
    folderNames = {
      "/var/lib/matchbook": home.data,
      "/var/backups/matchbook": copies,
      "$(date +%F)": "2026-11-17",
    };
    for (const name of ["kept", "other"]) await home.run(["keys", "create", "--name", name]);
    const access = openAccess({ data: home.data });
    const day = { status: 200, requests: 1, records: 0, lastSeen: Date.now() };
    await access.usage.add(
      [0, 1].map((ago) => ({ keyId: "k_0000000000", ...day, day: dayOf(Date.now()) - ago })),
      [],
    );
    await access.close();
  });

  const names = async () => (await home.run(["keys", "list"])).stdout;
  const expectShown = (printed: string, [exchange]: Exchange[]) => {
    let shown = exchange!.shown.join("\n");
    for (const [from, to] of Object.entries(folderNames)) shown = shown.replaceAll(from, to);
    expect(masked(printed)).toBe(masked(shown));
  };

  test("are made and restored as the page shows", async () => {
    expectShown(bash(scriptWith("matchbook backup"), home.data, folderNames), of("backup"));
    await home.run(["keys", "create", "--name", "later"]);
    expect(await names()).toContain("later");
    expectShown(bash(scriptWith("mv na.db*"), home.data, folderNames), of("restore"));
    bash(scriptWith("mv access.sqlite*"), home.data, folderNames);
    expect(await names()).toContain("kept");
    expect(await names()).not.toContain("later");
  });

  test("restore everything on a new machine", async () => {
    renameSync(home.data, join(home.path, "lost"));
    const script = scriptWith("matchbook doctor");
    const printed = bash(script, home.data, folderNames);
    expect(printed).toContain("0 problems");
    expect(await names()).toContain("kept");
    expect((await home.run(["why", "na", "match-0"])).stdout).toContain("served");
  });

  test("are made by the timer, and old ones deleted", async () => {
    const unit = readFileSync(join(ROOT, "deploy/systemd/matchbook-backup.service"), "utf8");
    const commands = [...unit.matchAll(/^ExecStart(?:Post)?=(.+)$/gm)].map((one) =>
      one[1]!.replaceAll("%%", "%").replace("/usr/local/bin/matchbook", PROGRAM),
    );
    const old = join(copies, "old");
    mkdirSync(old);
    Bun.spawnSync(["touch", "-d", "20 days ago", old]);
    for (const command of commands) bash(command, home.data, folderNames);
    const made = readdirSync(copies).filter((name) => /^\d{4}-\d\d-\d\d-\d{4}$/.test(name));
    expect(made).toHaveLength(1);
    expect(readdirSync(join(copies, made[0]!))).toContain("manifest.json");
    expect(readdirSync(copies)).not.toContain("old");
  });
});

test("the export of the page gives the same digest in another data folder", async () => {
  const home = await aHome(linesOf("na", 20, Date.now()));
  const printed = bash(scriptWith("matchbook export"), home.data, {
    "/var/backups/matchbook": home.path,
    "/tmp/copy": join(home.path, "copy"),
  });
  const digests = [...printed.matchAll(/^digest +([0-9a-f]{64})$/gm)].map((one) => one[1]);
  expect(digests).toHaveLength(2);
  expect(digests[0]).toBe(digests[1]!);
});

test("'matchbook redact' prints what the page shows", async () => {
  const shown = of("redact");
  expect(shown.map(({ command }) => wordsOf(command).at(-1))).toEqual(["--yes", "--list"]);
  const rosters = () => duel({ id: wordsOf(shown[0]!.command)[2]! }, { id: "other" });
  const records = ["casual", "casual", "practice"].map((mode) =>
    aMatch({ rosters: rosters(), mode }),
  );
  const home = await aHome(lines(records));
  for (const exchange of shown) {
    const { exitCode, stdout, stderr } = await home.run(wordsOf(exchange.command));
    expect([exitCode, stderr]).toEqual([0, ""]);
    shownIs(stdout, exchange);
  }
});

test("the commands that prune and compact a shard print what the page shows", async () => {
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
  const home = await aHome(lines(records));
  const shown = [...of("prune"), ...of("compact")];
  expect(shown).toHaveLength(3);
  for (const exchange of shown) {
    numbersAside((await home.run(wordsOf(exchange.command))).stdout, exchange);
  }
});

test("the key commands of the page, in order, print what it shows", async () => {
  const home = await aHome(lines(["na", "beta"].map((shard) => aMatch({ shard }))));
  /** Ids on the page, mapped to the ids of this run. */
  const ids = new Map<string, string>();
  for (const exchange of of("keys ")) {
    const isAboutUse = exchange.shown.some((line) => line.startsWith("DAY"));
    if (isAboutUse) await addUsage(home.data, [...ids.values()]);
    const args = wordsOf(exchange.command).map((word) => ids.get(word) ?? word);
    const { exitCode, stdout, stderr } = await home.run(args);
    expect([exchange.command, exitCode]).toEqual([exchange.command, 0]);
    const made = /Created key (\w+) for/;
    const id = made.exec(exchange.shown.join("\n"))?.[1];
    if (id !== undefined) ids.set(id, made.exec(stderr)![1]!);
    if (isAboutUse) expect(headsOf(stdout)).toEqual(headsOf(exchange.shown.join("\n")));
    else shownIs(stdout + stderr, exchange);
  }
  expect(ids.size).toBe(2);
});

/** Records some usage, so that there is something to show. */
async function addUsage(data: string, keyIds: readonly string[]): Promise<void> {
  const access = openAccess({ data });
  const now = Date.now();
  const day = { day: dayOf(now), status: 200, requests: 7, records: 12, lastSeen: now };
  await access.usage.add(
    keyIds.map((keyId) => ({ keyId, ...day })),
    [],
  );
  await access.close();
}

/** Table headers: what does not depend on numbers. */
const headsOf = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => /^[A-Z]+ .*[A-Z]$/.test(line))
    .map((head) => head.replaceAll(/ +/g, " "));
