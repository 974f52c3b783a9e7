/** `matchbook doctor`: a healthy installation, and each planted problem with its line and exit code. */

import { Database } from "bun:sqlite";
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { SQL } from "bun";
import { openWriter } from "../../src/open-stores.ts";
import { FORMAT } from "../../src/store/formats.ts";
import type { Verdict } from "../../src/store/store.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { hasFeature } from "../support/endpoints.ts";
import { hasProgram, skipWithout } from "../support/needs.ts";
import { homeAt, ingestAt, settingsAt, shardsFile } from "../support/places.ts";
import { binaries, startCluster } from "../support/postgres.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { startRedis } from "../support/redis.ts";
import { sharedFolder } from "../support/shared.ts";
import { ingestInto, makeKey } from "../support/world.ts";

const HAS_HOOKS = hasFeature("webhooks");
const FILES = ["access.sqlite", ...(HAS_HOOKS ? ["hooks.sqlite"] : []), "na.db"];

const folder = sharedFolder();
const path = (name: string) => join(folder, name);
/** A sound installation, which is copied for each test. */
const sound = path("sound");
const data = path("data");

beforeAll(async () => {
  await ingestInto(settingsAt(sound), [aMatch({ shard: "na" }), aMatch({ shard: "eu" })]);
  const { id } = await makeKey({ data: sound });
  if (!HAS_HOOKS) return;
  const hook = ["--key", id, "--url", "http://127.0.0.1:1/", "--hooks", "private"];
  expect((await matchbook(["hooks", "add", ...hook, "--data", sound])).exitCode).toBe(0);
});
beforeEach(() => {
  rmSync(data, { recursive: true, force: true });
  cpSync(sound, data, { recursive: true });
});

interface Page {
  state: string;
  problems: number;
  warnings: number;
  findings: { subject: string; level: string; message: string; advice: string | null }[];
}

async function doctor(args: string[] = [], env: Record<string, string> = {}) {
  const finished = await matchbook(["doctor", "--json", "--data", data, ...args], {
    cwd: folder,
    env,
  });
  expect(finished.stderr).toBe("");
  return { exitCode: finished.exitCode, page: JSON.parse(finished.stdout) as Page };
}

/** The findings that are not ok, except those about the machine that runs the test. */
const complaints = ({ findings }: Page) =>
  findings
    .filter(({ level, subject }) => level !== "ok" && subject !== "disk")
    .map(({ level, subject, message }) => `${level} ${subject}: ${message}`);

const change = (file: string, sql: string) => {
  const database = new Database(join(data, file));
  database.run(sql);
  database.close();
};

const setHook = (path: string, value: string | number) =>
  `UPDATE hooks SET state = json_set(state, '${path}', ${value})`;

const HOUR = 3_600_000;

/** Stores what a verify has found. */
async function findIn(shard: string, verdict: Verdict): Promise<void> {
  const writer = openWriter(shard, { engine: "sqlite", path: join(data, `${shard}.db`) });
  await writer.write(async (transaction) => transaction.setVerdict(verdict));
  await writer.close();
}

/** Everything about the files of the data folder that must not change. */
const filesIn = (folder: string) =>
  readdirSync(folder).map((name) => {
    const { mtimeMs, mode } = statSync(join(folder, name));
    return { name, mtimeMs, mode, bytes: readFileSync(join(folder, name), "base64") };
  });

test("a healthy installation is reported as such on one page, with exit code 0, also while a server has its files open", async () => {
  const before = filesIn(data);
  const { exitCode, stdout, stderr } = await matchbook(["doctor", "--data", data], {
    cwd: folder,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  for (const line of [
    /^ok +versions +Matchbook \S+, Bun \S+$/m,
    new RegExp(`^ok +shard na +.*na\\.db, format ${FORMAT}, 1 match, .* MiB, newest 20`, "m"),
    /^ok +keys +1 of 1 valid/m,
    ...(HAS_HOOKS ? [/^ok +webhooks +1 without a failure$/m] : []),
    /^(ok|warning) +disk +\d.* free in /m,
    /\n0 problems, .*\n$/,
  ]) {
    expect(stdout).toMatch(line);
  }
  const { page } = await doctor();
  expect([complaints(page), page.problems]).toEqual([[], 0]);
  expect(filesIn(data)).toEqual(before);
  const server = await startServerProcess(["--data", data, "--log-level", "silent"]);
  const meanwhile = await doctor();
  await server.end();
  expect([meanwhile.exitCode, complaints(meanwhile.page)]).toEqual([0, []]);
});

test("what a killed server leaves is read with its WAL, and stays as it is", async () => {
  const server = await startServerProcess(["--data", data, "--log-level", "silent"]);
  await matchbook(["keys", "create", "--name", "newer", "--data", data]);
  await server.end("SIGKILL");
  // The index of the WAL may be rebuilt by every reader.
  const files = () => filesIn(data).filter(({ name }) => !name.endsWith("-shm"));
  const before = files();
  expect(before.find(({ name }) => name === "access.sqlite-wal")?.bytes).not.toBe("");
  const { exitCode, page } = await doctor();
  expect([exitCode, complaints(page)]).toEqual([0, []]);
  expect(page.findings).toContainEqual(
    expect.objectContaining({ subject: "keys", message: `2 of 2 valid in ${data}` }),
  );
  expect(files()).toEqual(before);
});

test("the last verify of each shard is shown; it is a warning if servers should have verified since", async () => {
  const shown = async (...flags: string[]) => {
    const { page } = await doctor(flags);
    const of = page.findings.filter(({ subject }) => subject === "shard na");
    return of.map(({ level, message }) => `${level} ${message}`);
  };
  expect(await shown()).toEqual([expect.stringMatching(/^ok .*, never verified$/)]);
  await findIn("na", { at: Date.now() - 47 * HOUR, damaged: 0, damage: [] });
  expect(await shown()).toEqual([expect.stringMatching(/^ok .*, verified 20\S+Z$/)]);
  const late = expect.stringMatching(/^warning the last verify was at 20\S+Z, although/);
  expect(await shown("--verify-hours", "12")).toEqual([expect.anything(), late]);
  expect((await shown("--verify-hours", "off")).length).toBe(1);
});

/** A settings file, as flags. */
function toml(text: string, mode = 0o600): string[] {
  const config = path("planted.toml");
  writeFileSync(config, text);
  chmodSync(config, mode);
  return ["--config", config];
}

/** What makes a problem, and returns further flags; then the lines about it. A problem makes the exit code 1. */
const PLANTED: Record<string, [plant: () => unknown, ...lines: (string | RegExp)[]]> = {
  "a damaged file": [
    () => writeDamagedShard(join(data, "na.db")),
    "problem shard na: the shard's file is damaged (file is not a database): run 'matchbook repair', or restore the shard from a backup",
  ],
  "a truncated file": [
    () => truncateSync(join(data, "na.db"), 8192 * 3),
    /^problem shard na: .*damaged/,
  ],
  "damage that a verify has found": [
    () =>
      findIn("na", { at: 0, damaged: 3, damage: [{ table: "matches", record: "m1", detail: "" }] }),
    "problem shard na: verify found 3 damaged records at 1970-01-01T00:00:00Z (e.g. table matches, record m1): nothing of the shard is served",
    /^warning shard na: the last verify was at 1970/,
  ],
  "keys that cannot be read": [
    () => writeFileSync(join(data, "access.sqlite"), "x".repeat(4096)),
    /^problem keys: .*access\.sqlite/,
  ],
  "an SQLite file of another program": [
    () => change("other.db", "CREATE TABLE t (a)"),
    /^warning files: .*other\.db is an SQLite file, but not a Matchbook shard: it is ignored$/,
  ],
  "a file with a name that is no shard id": [
    () => renameSync(join(data, "eu.db"), join(data, "EU.db")),
    /^warning files: EU\.db: ignored: the name of a shard/,
  ],
  "a WAL whose file is missing": [
    () => writeFileSync(join(data, "sa.db-wal"), "x"),
    "warning files: sa.db-wal: the file that it belongs to is missing",
  ],
  "files of keys, hooks and shards that everybody can read": [
    () => {
      chmodSync(data, 0o755);
      for (const name of FILES) chmodSync(join(data, name), 0o644);
    },
    new RegExp(`^warning files: every user .* can read ${FILES.join(", ")}:`),
  ],
  "no valid key": [
    () => change("access.sqlite", "UPDATE keys SET revoked_at = 1"),
    /^warning keys: no key in .* is valid: every request gets 401$/,
    ...(HAS_HOOKS ? [/^warning webhooks: not delivered to h_\w+ \(key-revoked\)/] : []),
  ],
  "a key whose tier does not exist": [
    () => change("access.sqlite", "UPDATE keys SET tier = 'gone'"),
    /^warning keys: the tier of k_\w+ \(gone\) does not exist/,
  ],
  "a webhook whose receiver fails": [
    () => change("hooks.sqlite", setHook("$.progress[0].attempts", 1)),
    /^warning webhooks: not delivered to h_\w+ \(failing\)$/,
  ],
  "a webhook that was paused after failures": [
    () => change("hooks.sqlite", setHook("$.pausedBy", "'failures'")),
    /^warning webhooks: not delivered to h_\w+ \(paused\)$/,
  ],
  "a webhook without a valid key": [
    () => change("hooks.sqlite", setHook("$.keyId", "'k_gone'")),
    /^warning webhooks: not delivered to h_\w+ \(no-key\)$/,
  ],
  "a match that is dated in the future": [
    () => ingestAt(data, [JSON.stringify(aMatch({ createdAt: Date.now() + 5 * 60_000 }))]),
    /^warning shard na: .*in the future/,
  ],
  "a silent log": [() => ["--log-level", "silent"], /^warning settings: log-level is silent/],
  "proxies that are trusted everywhere": [
    () => ["--trusted-proxies", "10.0.0.1,0.0.0.0/0"],
    /^problem settings: trusted-proxies includes every/,
  ],
  "an admin listener without a token": [
    () => ["--admin-port", "0"],
    /^problem settings: the admin listener \(admin-port\) needs a token/,
  ],
  "a setting that is not valid": [() => ["--rate", "0"], /^problem settings: invalid setting rate/],
  "an admin listener that others can reach, and a token that they can read": [
    () => {
      writeFileSync(path("token"), "0123456789abcdef01234567\n", { mode: 0o644 });
      return ["--admin-port", "0.0.0.0:0", "--admin-token-file", path("token")];
    },
    "warning settings: the admin listener is on 0.0.0.0, not only on this machine",
    /^problem settings: every user of this machine can read the secrets in .*\/token$/,
  ],
  "secrets in a file that others can read": [
    () => toml(`portal-visitors = 'on'\nadmin-token = '${"s".repeat(24)}'\n`, 0o644),
    /^problem settings: every user of this machine can read the secrets in .*planted\.toml$/,
  ],
  "shards of the settings without a file, and files that they do not list": [
    () => toml("[shards.na]\n[shards.sa]\n"),
    "warning files: eu.db: not served: the settings list shards, but none in this file",
    /^warning shard sa: .*sa\.db does not exist$/,
  ],
  "a shard of the settings that was served before, whose file is missing": [
    () => {
      writeFileSync(join(data, "served-shards.json"), '["na","sa"]', { mode: 0o600 });
      return toml("[shards.na]\n[shards.eu]\n[shards.sa]\n");
    },
    /^problem shard sa: .*sa\.db was served before, and does not exist any more$/,
  ],
};

test.each(Object.entries(PLANTED).filter(([what]) => HAS_HOOKS || !what.includes("webhook")))(
  "%s is named, and nothing is changed",
  async (_, [plant, ...lines]) => {
    const flags = await plant();
    const before = filesIn(data);
    const { exitCode, page } = await doctor(Array.isArray(flags) ? flags : []);
    const expected = lines.map((one) => (one instanceof RegExp ? expect.stringMatching(one) : one));
    expect(complaints(page)).toEqual(expected);
    const isProblem = lines.some((one) =>
      /^\^?problem/.test(one instanceof RegExp ? one.source : one),
    );
    expect(exitCode).toBe(isProblem ? 1 : 0);
    expect(filesIn(data)).toEqual(before);
  },
);

test("a data folder that does not exist is named, and not created", async () => {
  rmSync(data, { recursive: true });
  const { exitCode, page } = await doctor();
  expect(exitCode).toBe(1);
  expect(complaints(page)[0]).toBe(`problem data folder: ${data} does not exist`);
  expect(readdirSync(folder)).not.toContain("data");
});

test("warnings fail with --strict only", async () => {
  expect((await doctor(["--log-level", "silent", "--strict"])).exitCode).toBe(1);
});

test.each([
  ["shard sa", "[shards.sa]\nurl = 'postgres://user:open-sesame@127.0.0.1:1/database'\n"],
  ["keys", "keys-database = 'postgres://user:open-sesame@127.0.0.1:1/database'\n"],
  ["redis", "redis = 'redis://user:open-sesame@127.0.0.1:1'\n"],
])(
  "a database that cannot be reached is a problem, without its password: %s",
  async (subject, text) => {
    const { exitCode, page } = await doctor(toml(text));
    expect(exitCode).toBe(1);
    const problems = page.findings.filter(({ level }) => level === "problem");
    expect(problems).toEqual([expect.objectContaining({ subject })]);
    expect(problems[0]!.message).toContain("127.0.0.1:1");
    expect(JSON.stringify(page)).not.toContain("open-sesame");
    expect(complaints((await doctor(toml(text, 0o644))).page)).toContainEqual(
      expect.stringMatching(
        /^problem settings: every user of this machine can read the secrets in/,
      ),
    );
  },
);

test("databases that accept connections and never respond are given up", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  const url = `postgres://user@127.0.0.1:${port}/database`;
  const { exitCode, page } = await doctor(
    toml(
      `redis = "redis://127.0.0.1:${port}"\nkeys-database = "${url}"\n[shards.na]\nurl = "${url}"\n`,
    ),
  );
  silent.close();
  expect(exitCode).toBe(1);
  const problems = page.findings.filter(({ level }) => level === "problem");
  expect(problems.map(({ subject }) => subject)).toEqual(["shard na", "keys", "redis"]);
  for (const { message } of problems)
    expect(message).toMatch(/no response within|did not respond within/);
});

const withRedis = () => {
  test("is used for limits, so that nothing is wrong", async () => {
    const redis = await startRedis();
    const { exitCode, page } = await doctor(["--redis", redis.url]);
    await redis.remove();
    expect(exitCode).toBe(0);
    expect(page.findings).toContainEqual(
      expect.objectContaining({
        subject: "redis",
        level: "ok",
        message: expect.stringMatching(/^redis:\/\/\S+$/),
      }),
    );
  });
};
if (hasProgram("redis-server")) describe("a Redis that runs", withRedis);
else skipWithout("redis-server", withRedis);

describe("shards in PostgreSQL", () => {
  const reportOn = async (url: string, schema: string) => {
    const home = homeAt(path("home"), `${url}?schema=${schema}`);
    return doctor(["--config", join(home, "matchbook.toml")]);
  };

  test.skipIf(!existsSync(join(binaries(), "pg_checksums")))(
    "are reported with version, format and data_checksums, which should be on (needs pg_checksums)",
    async () => {
      const cluster = await startCluster();
      const bare = await reportOn(cluster.url, "checked");
      expect(bare.page.findings).toContainEqual(
        expect.objectContaining({
          level: "ok",
          message: expect.stringContaining("has no records yet"),
        }),
      );
      await ingestAt(path("home"), [JSON.stringify(aMatch())]);
      const toggle = async (how: string) => {
        await cluster.stop();
        cluster.run("pg_checksums", [`--${how}`, "-D", join(cluster.folder, "data")]);
        await cluster.start();
        return reportOn(cluster.url, "checked");
      };
      // They are on or off by default, depending on the version.
      const first = await reportOn(cluster.url, "checked");
      const isOn = !complaints(first.page).some((line) => line.includes("data_checksums"));
      const [off, on] = isOn ? [await toggle("disable"), first] : [first, await toggle("enable")];
      cluster.remove();
      expect(off.exitCode).toBe(0);
      expect(complaints(off.page)).toContain(
        "warning shard na: data_checksums are off: PostgreSQL does not notice damaged pages",
      );
      expect(complaints(on.page).join()).not.toContain("data_checksums");
      expect(on.page.findings).toContainEqual(
        expect.objectContaining({
          subject: "shard na",
          level: "ok",
          message: expect.stringMatching(
            new RegExp(`schema checked, PostgreSQL \\d+.*, format ${FORMAT}, 1 match, `),
          ),
        }),
      );
    },
  );

  test("may need more connections than the server, or the role of the user, allows", async () => {
    const cluster = await startCluster([
      "max_connections = 50",
      "superuser_reserved_connections = 4",
    ]);
    const sql = new SQL(cluster.url, { max: 1 });
    await sql.unsafe("CREATE ROLE limited LOGIN SUPERUSER CONNECTION LIMIT 20");
    const reportOn = async (user: string, ...flags: string[]) => {
      const url = cluster.url.replace("matchbook@", `${user}@`);
      const shards = ["na", "eu", "sa"].map((id) => [id, `${url}?schema=${id}`]);
      const config = shardsFile(path("several.toml"), Object.fromEntries(shards));
      const { page } = await doctor(["--config", config, "--keys-database", url, ...flags]);
      return page.findings.filter(({ subject }) => subject === "connections");
    };
    const server = `127.0.0.1:${cluster.port}`;
    expect(await reportOn("matchbook")).toEqual([
      expect.objectContaining({
        level: "ok",
        message: `up to 35 per instance to ${server}, which allows 46`,
      }),
    ]);
    expect(await reportOn("matchbook", "--workers", "2")).toEqual([
      expect.objectContaining({
        level: "warning",
        message: `up to 65 per instance to ${server}, which allows 46`,
        advice: expect.stringMatching(/pool=3 .*fewer workers.*max_connections.* to 65/),
      }),
    ]);
    expect(await reportOn("limited")).toEqual([
      expect.objectContaining({
        level: "warning",
        message: `up to 35 per instance to ${server}, which allows 20`,
      }),
    ]);
    await sql.close();
    cluster.remove();
  });
});
