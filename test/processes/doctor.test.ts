/** `matchbook doctor`: a healthy installation, and each planted problem with its line and exit code. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
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
import { hasProgram, skipWithout } from "../support/needs.ts";
import { homeAt, ingestAt } from "../support/places.ts";
import { aPostgres, binaries, dropSchema, startCluster } from "../support/postgres.ts";
import { type Finished, matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { startRedis } from "../support/redis.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
const path = (name: string) => join(folder.path, name);
/** A sound installation, which is copied for each test. */
const sound = path("sound");
const data = path("data");

beforeAll(async () => {
  const stdin = [aMatch({ shard: "na" }), aMatch({ shard: "eu" })]
    .map((one) => JSON.stringify(one))
    .join("\n");
  expect((await matchbook(["ingest", "-", "--data", sound], { stdin })).exitCode).toBe(0);
  await matchbook(["keys", "create", "--name", "me", "--data", sound]);
  const keys = await matchbook(["keys", "list", "--json", "--data", sound]);
  const [{ id }] = JSON.parse(keys.stdout);
  const hook = ["--key", id, "--url", "http://127.0.0.1:1/", "--hooks", "private"];
  expect((await matchbook(["hooks", "add", ...hook, "--data", sound])).exitCode).toBe(0);
});
beforeEach(() => {
  rmSync(data, { recursive: true, force: true });
  cpSync(sound, data, { recursive: true });
});
afterAll(() => folder.remove());

interface Page {
  state: string;
  problems: number;
  warnings: number;
  findings: { subject: string; level: string; message: string; advice: string | null }[];
}

async function doctor(args: string[] = [], env: Record<string, string> = {}) {
  const finished = await matchbook(["doctor", "--json", "--data", data, ...args], {
    cwd: folder.path,
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

describe("a healthy installation", () => {
  test("is reported as such on one page, with exit code 0", async () => {
    const { exitCode, stdout, stderr }: Finished = await matchbook(["doctor", "--data", data], {
      cwd: folder.path,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^ok +versions +Matchbook \S+, Bun \S+, SQLite \d\S+$/m);
    expect(stdout).toMatch(
      new RegExp(`^ok +shard na +.*na\\.db, format ${FORMAT}, 1 match, .* MiB, newest 20`, "m"),
    );
    expect(stdout).toMatch(/^ok +keys +1 of 1 valid/m);
    expect(stdout).toMatch(/^ok +webhooks +1 of 1 active$/m);
    expect(stdout).toMatch(/^(ok|warning) +disk +\d.* free in /m);
    expect(stdout).toEndWith("\n");
    expect(stdout).toContain("\n0 problems, ");
  });

  test("has no complaints, and nothing in it is changed", async () => {
    const before = filesIn(data);
    const { exitCode, page } = await doctor();
    expect([exitCode, complaints(page), page.problems]).toEqual([0, [], 0]);
    expect(filesIn(data)).toEqual(before);
  });

  test("is reported while a server has its files open", async () => {
    const server = await startServerProcess(["--data", data, "--log-level", "silent"]);
    const { exitCode, page } = await doctor();
    await server.end();
    expect([exitCode, complaints(page)]).toEqual([0, []]);
  });
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

describe("a planted problem is named, and nothing is changed:", () => {
  const planted: [string, () => void | Promise<void>, number, string[]][] = [
    [
      "a damaged file",
      () => writeDamagedShard(join(data, "na.db")),
      1,
      [
        "problem shard na: the shard's file is damaged (file is not a database): run 'matchbook repair', or restore the shard from a backup",
      ],
    ],
    [
      "a truncated file",
      () => truncateSync(join(data, "na.db"), 8192 * 3),
      1,
      [expect.stringMatching(/^problem shard na: .*damaged/)],
    ],
    [
      "damage that a verify has found",
      () => {
        const damage = [{ table: "matches", record: "m1", detail: "" }];
        return findIn("na", { at: 0, damaged: 3, damage });
      },
      1,
      [
        "problem shard na: verify found 3 damaged records at 1970-01-01T00:00:00Z (e.g. table matches, record m1): nothing of the shard is served",
        expect.stringMatching(/^warning shard na: the last verify was at 1970/),
      ],
    ],
    [
      "keys that cannot be read",
      () => writeFileSync(join(data, "access.sqlite"), "x".repeat(4096)),
      1,
      [expect.stringMatching(/^problem keys: .*access\.sqlite/)],
    ],
    [
      "a format of a development version",
      () => change("na.db", "PRAGMA user_version = 10"),
      1,
      [
        `problem shard na: ${data}/na.db was written by a development version of Matchbook (format 10), which this version cannot read: run 'matchbook export' with the version that wrote it, then 'matchbook ingest' with this one into a new data folder or schema`,
      ],
    ],
    [
      "a newer format",
      () => change("na.db", "PRAGMA user_version = 99"),
      1,
      [
        expect.stringContaining(
          `na.db was written by a newer Matchbook (format 99; this version supports ${FORMAT}); upgrade`,
        ),
      ],
    ],
    [
      "keys of a newer format",
      () => change("access.sqlite", "PRAGMA user_version = 99"),
      1,
      [expect.stringMatching(/^problem keys: .*access\.sqlite was written by a newer Matchbook/)],
    ],
    [
      "an SQLite file of another program",
      () => change("other.db", "CREATE TABLE t (a)"),
      0,
      [
        `warning files: ${data}/other.db is an SQLite file, but not a Matchbook shard: it is ignored`,
      ],
    ],
    [
      "a file with a name that is no shard id",
      () => renameSync(join(data, "eu.db"), join(data, "EU.db")),
      0,
      [expect.stringMatching(/^warning files: EU\.db: ignored: the name of a shard/)],
    ],
    [
      "a WAL whose file is missing",
      () => writeFileSync(join(data, "sa.db-wal"), "x"),
      0,
      ["warning files: sa.db-wal: the file that it belongs to is missing"],
    ],
    [
      "files of keys, hooks and shards that everybody can read",
      () => {
        chmodSync(data, 0o755);
        for (const name of ["access.sqlite", "hooks.sqlite", "na.db"])
          chmodSync(join(data, name), 0o644);
      },
      0,
      [
        expect.stringMatching(
          /^warning files: every user .* can read access\.sqlite, hooks\.sqlite, na\.db:/,
        ),
      ],
    ],
    [
      "no valid key",
      () => change("access.sqlite", "UPDATE keys SET revoked_at = 1"),
      0,
      [
        `warning keys: no key in ${data} is valid: every request gets 401`,
        expect.stringMatching(/^warning webhooks: nothing is delivered to h_/),
      ],
    ],
    [
      "a key whose tier does not exist",
      () => change("access.sqlite", "UPDATE keys SET tier = 'gone'"),
      0,
      [expect.stringMatching(/^warning keys: the tier of k_\w+ \(gone\) does not exist/)],
    ],
    [
      "a webhook whose receiver fails",
      () => change("hooks.sqlite", setHook("$.progress[0].attempts", 1)),
      0,
      [expect.stringMatching(/^warning webhooks: the receiver of h_\w+ fails$/)],
    ],
    [
      "a webhook that was paused after failures",
      () => change("hooks.sqlite", setHook("$.pausedBy", "'failures'")),
      0,
      [expect.stringMatching(/^warning webhooks: h_\w+ paused, because the receiver failed/)],
    ],
    [
      "a webhook without a valid key",
      () => change("hooks.sqlite", setHook("$.keyId", "'k_gone'")),
      0,
      [expect.stringMatching(/^warning webhooks: nothing is delivered to h_\w+: the key/)],
    ],
  ];

  test.each(planted)("%s", async (_, plant, exitCode, lines) => {
    await plant();
    const before = filesIn(data);
    const found = await doctor();
    expect(complaints(found.page)).toEqual(lines);
    expect(found.exitCode).toBe(exitCode);
    expect(filesIn(data)).toEqual(before);
  });

  test("a data folder that does not exist, which is not created", async () => {
    rmSync(data, { recursive: true });
    const { exitCode, page } = await doctor();
    expect(exitCode).toBe(1);
    expect(complaints(page)[0]).toBe(`problem data folder: ${data} does not exist`);
    expect(readdirSync(folder.path)).not.toContain("data");
  });
});

test("warnings fail with --strict only", async () => {
  const settings = ["--log-level", "silent"];
  expect((await doctor(settings)).exitCode).toBe(0);
  expect((await doctor([...settings, "--strict"])).exitCode).toBe(1);
});

describe("settings that look wrong are named:", () => {
  test.each([
    [["--log-level", "silent"], "warning settings: log-level is silent"],
    [
      ["--trusted-proxies", "10.0.0.1,0.0.0.0/0"],
      "problem settings: trusted-proxies includes every",
    ],
    [["--admin-port", "0"], "problem settings: the admin listener (admin-port) needs a token"],
    [["--rate", "0"], 'problem settings: invalid setting rate "0"'],
  ])("%p", async (flags, line) => {
    const { exitCode, page } = await doctor(flags);
    expect(complaints(page)).toEqual([expect.stringContaining(line)]);
    expect(exitCode).toBe(line.startsWith("problem") ? 1 : 0);
  });

  test("an admin listener that others can reach, and a token that they can read", async () => {
    const token = path("token");
    writeFileSync(token, "0123456789abcdef01234567\n", { mode: 0o644 });
    const flags = ["--admin-port", "0.0.0.0:0", "--admin-token-file", token];
    const { exitCode, page } = await doctor(flags);
    expect(exitCode).toBe(1);
    expect(complaints(page)).toEqual([
      "warning settings: the admin listener is on 0.0.0.0, not only on this machine",
      `problem settings: every user of this machine can read the secrets in ${token}`,
    ]);
  });

  test("secrets in a file that others can read", async () => {
    const config = path("secrets.toml");
    writeFileSync(config, `portal-visitors = 'on'\nadmin-token = '${"s".repeat(24)}'\n`);
    chmodSync(config, 0o644);
    expect(complaints((await doctor(["--config", config])).page)).toEqual([
      `problem settings: every user of this machine can read the secrets in ${config}`,
    ]);
  });

  test("shards of the settings without a file, and files that they do not list", async () => {
    const config = path("listed.toml");
    writeFileSync(config, "[shards.na]\n[shards.sa]\n");
    const { exitCode, page } = await doctor(["--config", config]);
    expect(exitCode).toBe(0);
    expect(page.findings[1]).toMatchObject({ subject: "settings", message: `from ${config}` });
    expect(complaints(page)).toEqual([
      "warning files: eu.db: not served: the settings list shards, but none in this file",
      `warning shard sa: ${data}/sa.db does not exist`,
    ]);
  });

  test("a shard of the settings that was served before, whose file is missing", async () => {
    const config = path("served.toml");
    writeFileSync(config, "[shards.na]\n[shards.eu]\n[shards.sa]\n");
    const list = join(data, "served-shards.json");
    writeFileSync(list, '["na","sa"]', { mode: 0o600 });
    const { exitCode, page } = await doctor(["--config", config]);
    rmSync(list);
    expect(exitCode).toBe(1);
    expect(complaints(page)).toEqual([
      `problem shard sa: ${data}/sa.db was served before, and does not exist any more`,
    ]);
  });
});

describe("databases that cannot be reached are problems, without their passwords:", () => {
  const PASSWORD = "open-sesame";
  test.each([
    [
      "shard",
      "[shards.sa]\nurl = 'postgres://user:open-sesame@127.0.0.1:1/database'\n",
      "shard sa",
    ],
    ["keys", "keys-database = 'postgres://user:open-sesame@127.0.0.1:1/database'\n", "keys"],
    ["redis", "redis = 'redis://user:open-sesame@127.0.0.1:1'\n", "redis"],
  ])("%s", async (_, toml, subject) => {
    const config = path("unreachable.toml");
    writeFileSync(config, toml, { mode: 0o600 });
    chmodSync(config, 0o600);
    const { exitCode, page } = await doctor(["--config", config]);
    expect(exitCode).toBe(1);
    const problems = page.findings.filter(({ level }) => level === "problem");
    expect(problems).toEqual([expect.objectContaining({ subject })]);
    expect(problems[0]!.message).toContain("127.0.0.1:1");
    expect(JSON.stringify(page)).not.toContain(PASSWORD);
    chmodSync(config, 0o644);
    expect(complaints((await doctor(["--config", config])).page)).toContain(
      `problem settings: every user of this machine can read the secrets in ${config}`,
    );
  });
});

test("databases that accept connections and never respond are given up", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  const url = `postgres://user@127.0.0.1:${port}/database`;
  const config = path("silent.toml");
  writeFileSync(
    config,
    `redis = "redis://127.0.0.1:${port}"\nkeys-database = "${url}"\n[shards.na]\nurl = "${url}"\n`,
  );
  const { exitCode, page } = await doctor(["--config", config]);
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

  test("of a development version are a problem", async () => {
    const postgres = await aPostgres();
    const schema = `doctor_${process.pid}`;
    const sql = new SQL({ url: postgres.url, max: 1 });
    await sql.unsafe(
      `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.format AS SELECT 9 AS version`,
    );
    await sql.close();
    const found = await reportOn(postgres.url, schema);
    expect(found.exitCode).toBe(1);
    expect(complaints(found.page)).toContainEqual(
      expect.stringMatching(/^problem shard na: .* development version of Matchbook \(format 9\)/),
    );
    await dropSchema(postgres.url, schema);
    postgres.stop();
  });
});
