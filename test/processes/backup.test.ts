/** `matchbook backup` and `matchbook restore`: nothing is lost, and what cannot be copied is named. */

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isShardFile, type Manifest } from "../../src/backup/manifest.ts";
import { restore, stepsFor } from "../../src/backup/restore.ts";
import { openAccess } from "../../src/open-access.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { readOn, sqliteRows } from "../support/engine-sqlite.ts";
import { canMount, skipWithout } from "../support/needs.ts";
import { linesOf, shardsFile } from "../support/places.ts";
import { MATCHBOOK, matchbook, spawnMatchbook, startServerProcess } from "../support/process.ts";
import { testLong } from "../support/scale.ts";
import { countsOf, until } from "../support/state.ts";
import { aFolder, getAs } from "../support/world.ts";

// Several processes may share a slow machine.
let folder: ReturnType<typeof aFolder>;
let data: string;
let copy: string;
beforeEach(() => {
  folder = aFolder();
  data = join(folder.path, "data");
  copy = join(folder.path, "backups", "today");
});
afterEach(() => folder.remove());

const run = (...args: string[]) => matchbook([...args, "--data", data]);
const ingest = (lines: readonly string[]) =>
  matchbook(["ingest", "-", "--data", data], { stdin: lines.join("\n") });
const manifestOf = (path = copy): Manifest =>
  JSON.parse(readFileSync(join(path, "manifest.json"), "utf8"));
const digestOf = async (id: string): Promise<string> =>
  JSON.parse((await run("shards", "digest", id, "--json")).stdout).digest;
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const now = Date.now();

test("a backup made during ingest and reads is restored with equal counts, valid keys and usage", async () => {
  const na = linesOf("na", 150, now);
  await ingest([...na.slice(0, 50), ...linesOf("eu", 20, now)]);
  const key = (await run("keys", "create", "--name", "kept", "--rate", "1000000")).stdout.trim();
  const server = await startServerProcess(["--data", data, "--log-level", "silent"]);
  const read = async (url: string) => (await getAs({ url, key }, "/shards/na/matches")).status;
  expect(await read(server.url)).toBe(200);
  await until("the usage is stored", async () => {
    const { stdout } = await run("keys", "list", "--json");
    return /"requestsToday":[1-9]/.test(stdout);
  });

  const sender = spawnMatchbook(["ingest", "-", "--batch", "5", "--data", data]);
  const statuses = new Set<number>();
  let isOver = false;
  const sending = (async () => {
    for (const line of na.slice(50)) {
      sender.stdin.write(`${line}\n`);
      await sender.stdin.flush();
      if (!isOver) statuses.add(await read(server.url));
    }
    await sender.stdin.end();
  })();
  const made = await run("backup", copy);
  isOver = true;
  await sending;
  expect(await sender.exited).toBe(0);
  expect([made.exitCode, made.stderr]).toEqual([0, ""]);
  expect([...statuses]).toEqual([200]);
  expect(await server.end()).toBe(0);
  const whole = await digestOf("na");

  const manifest = manifestOf();
  expect(manifest.files.map(({ name }) => name)).toEqual([
    "eu.db",
    "na.db",
    "access.sqlite",
    "usage.sqlite",
  ]);
  expect(manifest.missing).toEqual([]);
  expect(modeOf(copy)).toBe("700");

  rmSync(data, { recursive: true });
  const restored = await run("restore", copy);
  expect([restored.exitCode, restored.stderr]).toEqual([
    0,
    expect.stringContaining("Keys are as they were at"),
  ]);
  for (const name of readdirSync(data))
    expect([name, modeOf(join(data, name))]).toEqual([name, "600"]);
  expect(readdirSync(data).sort()).toEqual(manifest.files.map(({ name }) => name).sort());
  const counts = await countsOf(data);
  for (const file of manifest.files) {
    if (!isShardFile(file)) continue;
    const { served, withheld } = counts[file.shard]!;
    expect(file.counts).toMatchObject({ served, withheld });
  }
  expect((await run("keys", "list", "--json")).stdout).toMatch(/"requestsToday":[1-9]/);

  // What the backup lacks is what was sent later, and nothing else.
  await ingest(na);
  expect(await digestOf("na")).toBe(whole);
  const again = await startServerProcess(["--data", data, "--log-level", "silent"]);
  expect(await read(again.url)).toBe(200);
  expect(await again.end()).toBe(0);
});

test("keys and days of usage are counted and printed", async () => {
  await ingest(linesOf("na", 5, Date.UTC(2026, 6, 1)));
  for (const name of ["one", "two", "gone"]) await run("keys", "create", "--name", name);
  const usage = openAccess({ data });
  const used = { status: 200, requests: 1, records: 1, lastSeen: 1 };
  const days = [20_000, 20_001].map((day) => ({ keyId: "a", day, ...used }));
  await usage.usage.add([...days, { ...days[0]!, keyId: "b" }], []);
  await usage.close();
  const printed = (await run("backup", copy)).stdout;
  expect(printed).toMatch(/^na\.db .* 5 matches /m);
  expect(printed).toMatch(/^access\.sqlite .* 3 keys /m);
  expect(printed).toMatch(/^usage\.sqlite .* 2 days /m);
  const manifest = manifestOf();
  expect(manifest.files.slice(1)).toMatchObject([
    { kind: "keys", counts: { keys: 3 } },
    { kind: "usage", counts: { days: 2 } },
  ]);

  rmSync(data, { recursive: true });
  const restored = await run("restore", copy);
  expect([restored.exitCode, restored.stdout]).toEqual([
    0,
    expect.stringMatching(/^access\.sqlite +3 keys /m),
  ]);
});

testLong("a long read of a restored shard does not keep ingest waiting", async () => {
  await ingest(linesOf("na", 5, now));
  await run("backup", copy);
  rmSync(data, { recursive: true });
  await run("restore", copy);
  const endRead = readOn(join(data, "na.db"));
  expect((await ingest(linesOf("na", 10, now))).exitCode).toBe(0);
  endRead();
});

test("restore overwrites nothing: it names what is there, also a WAL that is left", async () => {
  await ingest(linesOf("na", 5, now));
  await run("keys", "create", "--name", "kept");
  const names = readdirSync(data);
  await run("backup", copy);
  // The backup leaves nothing beside the files that it reads.
  expect(readdirSync(data)).toEqual(names);
  const before = readFileSync(join(data, "na.db"), "base64");
  const refused = await run("restore", copy);
  expect([refused.exitCode, refused.stdout]).toEqual([1, ""]);
  for (const name of ["na.db", "access.sqlite"]) expect(refused.stderr).toContain(join(data, name));
  expect(readFileSync(join(data, "na.db"), "base64")).toBe(before);

  rmSync(data, { recursive: true });
  mkdirSync(data);
  writeFileSync(join(data, "na.db-wal"), "of another file");
  const again = await run("restore", copy, "na");
  expect([again.exitCode, again.stderr]).toEqual([
    1,
    expect.stringContaining(join(data, "na.db-wal")),
  ]);
  expect(readdirSync(data)).toEqual(["na.db-wal"]);
});

test("what is there is left alone and the rest is restored, also beside a server, which serves the shard and has the keys of the backup", async () => {
  await ingest([...linesOf("na", 5, now), ...linesOf("eu", 5, now)]);
  const key = (await run("keys", "create", "--name", "kept")).stdout.trim();
  const server = await startServerProcess(["--data", data, "--log-level", "silent"]);
  const status = async (other = key) =>
    (await getAs({ ...server, key: other }, "/shards/na/players")).status;
  const usage = join(data, "usage.sqlite");
  const isUsageStored = async () => (await status()) > 0 && existsSync(usage);
  await until("the usage is stored", isUsageStored);
  await run("backup", copy);
  const later = (await run("keys", "create", "--name", "later")).stdout.trim();
  await until("the later key is valid", async () => (await status(later)) === 200);
  rmSync(data, { recursive: true });
  mkdirSync(data);
  await until("the server has created a file for the usage", isUsageStored);

  const first = await run("restore", copy);
  expect(first.exitCode).toBe(1);
  expect(first.stdout.match(/^\S+/gm)).toEqual(["FILE", "access.sqlite", "eu.db", "na.db"]);
  expect(first.stderr).toContain(`there already is: ${usage}`);
  expect(first.stderr).toContain("stop the server");
  expect(first.stderr).toContain(`'matchbook restore ${copy} usage.sqlite --data ${data}'`);
  await until("the shard is served", async () => (await status()) === 200);
  await until("the later key is unknown", async () => (await status(later)) === 401);

  expect(await server.end()).toBe(0);
  rmSync(usage);
  const second = await run("restore", copy, "usage.sqlite");
  expect([second.exitCode, second.stdout.match(/^\S+/gm)]).toEqual([0, ["FILE", "usage.sqlite"]]);
  expect(second.stdout).toContain(usage);
  const third = await run("restore", copy);
  expect([third.exitCode, third.stdout]).toEqual([1, ""]);
  expect(third.stderr).toContain("left alone what there already is");
});

testLong("a file that another process creates during the restore is left alone", async () => {
  await ingest([...linesOf("na", 5, now), ...linesOf("eu", 5, now)]);
  await run("backup", copy);
  rmSync(data, { recursive: true });
  const settings = loadSettings({
    flags: { data },
    configFile: undefined,
    env: {},
    cwd: folder.path,
  }).values;
  const manifest = manifestOf();
  const steps = stepsFor(settings, copy, manifest.files);
  const found: string[][] = [];
  for await (const outcome of restore(steps, settings, [])) {
    found.push(outcome.found);
    if (outcome.found.length === 0) writeFileSync(join(data, "na.db"), "of another process");
  }
  expect(found).toEqual([[], [join(data, "na.db")]]);
  expect(readFileSync(join(data, "na.db"), "utf8")).toBe("of another process");
  expect(readdirSync(data).sort()).toEqual(["eu.db", "na.db"]);
});

test("a backup with one changed byte is refused before anything is written", async () => {
  await ingest([...linesOf("na", 5, now), ...linesOf("eu", 5, now)]);
  await run("backup", copy);
  rmSync(data, { recursive: true });
  const path = join(copy, "na.db");
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(path, bytes);
  const refused = await run("restore", copy);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(`${path}: `)]);
  expect(existsSync(data)).toBe(false);
  expect((await run("restore", copy, "eu")).exitCode).toBe(0);
  expect(readdirSync(data)).toEqual(["eu.db"]);
});

test("a manifest whose names lead out of the folder, or that is not one, is refused", async () => {
  await ingest(linesOf("na", 5, now));
  await run("backup", copy);
  rmSync(data, { recursive: true });
  const whole = manifestOf();
  const [file] = whole.files;
  const changed = [
    { files: [{ ...file, name: "../na.db" }] },
    { files: [{ ...file, name: "/etc/passwd" }] },
    { files: [{ ...file, shard: "../../na" }] },
    { files: [{ ...file, name: 5 }] },
    { files: [null] },
    { files: "na.db" },
  ];
  for (const change of changed) {
    writeFileSync(join(copy, "manifest.json"), JSON.stringify({ ...whole, ...change }));
    const refused = await run("restore", copy);
    expect([change, refused.exitCode, refused.stderr]).toEqual([
      change,
      1,
      `matchbook: ${join(copy, "manifest.json")} is damaged: use another backup\n`,
    ]);
  }
  expect(existsSync(data)).toBe(false);
});

test("a killed backup has no manifest, and is refused", async () => {
  await ingest(linesOf("na", 5, now));
  await run("keys", "create", "--name", "kept");
  // The copy of the keys waits for this lock.
  const lock = new Database(join(data, "access.sqlite"));
  lock.run("PRAGMA journal_mode = DELETE");
  lock.run("BEGIN EXCLUSIVE");
  const child = spawnMatchbook(["backup", copy, "--data", data]);
  await until("the keys are copied", () => existsSync(join(copy, "access.sqlite.partial")));
  child.kill("SIGKILL");
  await child.exited;
  lock.close();
  expect(readdirSync(copy)).toContain("na.db");
  rmSync(data, { recursive: true });
  const refused = await run("restore", copy);
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining("was interrupted"),
  ]);
  const again = await run("backup", copy);
  expect(again.exitCode).toBe(1);
});

test("shards that cannot be read or have a damaged record are named, and the others are backed up", async () => {
  await ingest([...linesOf("na", 20, now), ...linesOf("sa", 20, now)]);
  writeDamagedShard(join(data, "eu.db"));
  sqliteRows(join(data, "sa.db")).change("player", {}, ({ name }) => ({ name: `${name}x` }));
  const made = await run("backup", copy);
  expect(made.exitCode).toBe(1);
  expect(made.stderr).toMatch(/^Not in the backup: shard eu: /m);
  expect(made.stderr).toMatch(
    /^Not in the backup: shard sa: table players, record \S+ is damaged/m,
  );
  const { files, missing } = manifestOf();
  expect(files.map(({ name }) => name)).toEqual(["na.db"]);
  expect(missing.map(({ shard, isFailure }) => [shard, isFailure])).toEqual([
    ["eu", true],
    ["sa", true],
  ]);
  expect(readdirSync(copy).sort()).toEqual(["manifest.json", "na.db"]);
  rmSync(data, { recursive: true });
  const restored = await run("restore", copy);
  expect([restored.exitCode, restored.stderr]).toEqual([0, made.stderr]);
  expect((await run("restore", copy, "eu")).stderr).toContain('"eu" is not in the backup');
});

test("shards and keys in PostgreSQL are left to its tools, with exit 0", async () => {
  await ingest(linesOf("na", 5, now));
  const config = shardsFile(join(folder.path, "matchbook.toml"), {
    na: undefined,
    eu: "postgres://me:secret@db.example.com/games?schema=eu_matches",
  });
  const args = ["backup", copy, "--data", data, "--config", config];
  const made = await matchbook(args);
  expect(made.exitCode).toBe(0);
  expect(made.stderr).toMatch(
    /^Not in the backup: shard eu: .*pg_dump --schema=eu_matches.*'matchbook export eu'/m,
  );
  expect(manifestOf().files.map(({ name }) => name)).toEqual(["na.db"]);
  rmSync(copy, { recursive: true });

  // The list of redactions is there too: what is redacted may not be known without it.
  const env = { MATCHBOOK_KEYS_DATABASE: "postgres://me:secret@db.example.com/games" };
  const without = await matchbook(args, { env });
  expect(without.exitCode).toBe(1);
  expect(without.stderr).toMatch(/^Not in the backup: keys: .*pg_dump --schema=matchbook_access/m);
  expect(without.stderr).toMatch(/^Not in the backup: redactions: .*db.example.com/m);
  expect(without.stderr + readFileSync(join(copy, "manifest.json"))).not.toContain("secret");
  expect(manifestOf().files.map(({ name }) => name)).toEqual(["na.db"]);
});

const onFullDisk = () => {
  test("a full disk is reported, and leaves no manifest and no files", async () => {
    // There is space for the first shard only.
    await ingest([...linesOf("eu", 2, now), ...linesOf("na", 100, now)]);
    const program = join(folder.path, "matchbook");
    const left = join(folder.path, "left");
    mkdirSync(copy, { recursive: true });
    const script =
      `mount -t tmpfs -o size=400k tmpfs ${copy} && ${MATCHBOOK} "$@"; code=$?; ` +
      `ls -A ${copy}/one > ${left}; exit $code`;
    writeFileSync(program, `#!/bin/sh\nexec unshare -Urm sh -c '${script}' sh "$@"\n`);
    chmodSync(program, 0o755);
    const made = await matchbook(["backup", join(copy, "one"), "--data", data], { program });
    expect([made.exitCode, made.stderr]).toEqual([
      1,
      expect.stringContaining(`the disk of ${join(copy, "one")} is full`),
    ]);
    expect(readFileSync(left, "utf8")).toBe("");
  });
};

if (canMount()) onFullDisk();
else skipWithout("user namespaces (unshare)", onFullDisk);
