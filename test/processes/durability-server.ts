/**
 * When a server responds to an upload or to a change of keys, both are on the disk. Usage and webhooks promise less: the
 * last changes may be lost, but their files stay intact.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { uploadTo } from "../support/admin.ts";
import { DiskModel } from "../support/disk-model.ts";
import { linesOf } from "../support/places.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { RecordedDisk } from "../support/recorded-disk.ts";
import { type Call, endRecorded, recorder } from "../support/system-calls.ts";
import { aFolder, JSON_API } from "../support/world.ts";

const lines = linesOf("na", 20, Date.now() - 3_600_000);
const TOKEN = "durable-".repeat(5);

const folder = aFolder();
afterAll(() => folder.remove());
const disk = new RecordedDisk(folder.path);
const data = join(disk.path, "data");
/** Of the disk before the server was started. */
const models = Array.from({ length: 5 }, () => new DiskModel(disk.path));
let calls: Call[];
/** In the responses to uploads. */
const reports: string[] = [];
interface Key {
  id: string;
  key: string;
}

const keys: Key[] = [];

beforeAll(async () => {
  const { program, calls: recordedCalls } = recorder(folder.path);
  writeFileSync(join(folder.path, "token"), TOKEN);
  const flags = ["--admin-port", "0", "--admin-token-file", join(folder.path, "token")];
  const server = await startServerProcess(
    ["--data", data, ...flags, "--hooks", "private", "--log-level", "silent"],
    { program, cwd: folder.path },
  );
  const adminUrl = await server.saying(/^admin listener on (http:\S+)\n/m);
  const admin = async (path: string, body: object = {}) => {
    const response = await fetch(`${adminUrl}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body),
    });
    expect(response.ok).toBe(true);
    // biome-ignore lint/suspicious/noExplicitAny: responses of several shapes.
    return (await response.json()) as any;
  };
  const upload = async (some: readonly string[]) => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const { status, report } = await uploadTo(adminUrl, some.join("\n"), "", headers);
    expect(status).toBe(200);
    reports.push(JSON.stringify(report));
  };
  await upload(lines.slice(0, 7));
  for (const name of ["stays", "goes"]) {
    const { record, key } = await admin("/keys", { name });
    keys.push({ id: record.id, key });
  }
  await admin(`/keys/${keys[1]!.id}/revoke`);
  await admin("/hooks", { key: keys[0]!.id, url: "http://127.0.0.1:9/" });
  // A request, so that there is usage to store.
  await fetch(`${server.url}/shards/na/matches`, {
    headers: { Authorization: `Bearer ${keys[0]!.key}`, Accept: JSON_API },
  });
  await upload(lines.slice(7));
  await endRecorded(server.child);
  calls = recordedCalls();
});

/** Cuts the power when the server sends this text, and returns the data folder that is left. */
function leftAt(acknowledgement: string): string {
  const { atRisk, left } = disk.cut(models.pop()!, calls, acknowledgement);
  const ofRecordsAndKeys = atRisk.filter((one) => !/(usage|hooks)\.sqlite/.test(one));
  expect(ofRecordsAndKeys).toEqual([]);
  return join(left, "data");
}

async function read<T>(args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await matchbook(args);
  expect([args, exitCode, stderr]).toEqual([args, 0, ""]);
  return JSON.parse(stdout);
}

const idsIn = async (from: string) => {
  const { stdout } = await matchbook(["export", "na", "--data", from]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).data.id as string)
    .sort();
};

const idsOf = (some: readonly string[]) => some.map((line) => JSON.parse(line).data.id).sort();

describe("a power cut when the server responds loses nothing of", () => {
  test("an upload that creates the shard", async () => {
    expect(await idsIn(leftAt(reports[0]!))).toEqual(idsOf(lines.slice(0, 7)));
  });

  test("a later upload", async () => {
    expect(await idsIn(leftAt(reports[1]!))).toEqual(idsOf(lines));
  });

  test("a new key, and a key that was revoked", async () => {
    const [stays, goes] = keys as [Key, Key];
    const made = await read(["keys", "list", "--json", "--data", leftAt(goes.key)]);
    expect(made).toMatchObject([stays, goes].map(({ id }) => ({ id, revokedAt: null })));
    const revoked = await read(["keys", "list", "--json", "--data", leftAt('"state":"revoked"')]);
    expect(revoked).toMatchObject([
      { id: stays.id, revokedAt: null },
      { id: goes.id, revokedAt: expect.any(String) },
    ]);
  });
});

test("the log of each SQLite file, also of usage and webhooks, is synced before the file, and the file before a new log", () => {
  const model = models.pop()!;
  model.play(calls);
  expect(model.mistakes).toEqual([]);
  const written = new Set(calls.filter(({ name }) => name === "pwrite64").map(({ path }) => path));
  const files = ["na.db", "access.sqlite", "usage.sqlite", "hooks.sqlite"];
  // All were changed, and their logs copied into them when the server was stopped.
  for (const name of files.flatMap((file) => [file, `${file}-wal`])) {
    expect(written).toContain(join(data, name));
  }
});
