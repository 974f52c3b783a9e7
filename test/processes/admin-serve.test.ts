/** Tests the admin listener of a server process: its address, memory, files and shutdown. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { ndjson, TOKEN, uploadTo } from "../support/admin.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aMatch, type RosterIn } from "../support/records.ts";
import { testLong } from "../support/scale.ts";
import { sharedFolder } from "../support/shared.ts";
import { countsOf, until } from "../support/state.ts";
import { openUpload } from "../support/wire-upload.ts";

// Several processes may share a slow machine.
const folder = sharedFolder();

let made = 0;
const newData = () => join(folder, `data-${made++}`);

const BOTS: [RosterIn, RosterIn] = [{ members: [{ bot: true }] }, { members: [{ bot: true }] }];
const small = (id: string) => aMatch({ id, rosters: BOTS });
const some = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => small(`${prefix}-${at}`));

async function startServer(data: string, ...flags: string[]) {
  const { child, url, saying } = await startServerProcess(
    ["--admin-port", "0", "--data", data, "--drain-ms", "0", ...flags],
    { env: { MATCHBOOK_ADMIN_TOKEN: TOKEN } },
  );
  return { child, url, adminUrl: await saying(/^admin listener on (http:\S+)\n/m) };
}

/** The number of stored matches. */
const held = async (data: string): Promise<number> => (await countsOf(data)).na?.served ?? 0;

/** Anonymous memory of the process in MiB, without mapped files. */
function ownMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

/** The locks that a process holds on a file, as the system reports them: kind, first and last byte. */
function locksOn(path: string, pid: number): string[] {
  const { ino } = statSync(path);
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => line.split(/\s+/))
    .filter(([, , , , owner, file]) => owner === String(pid) && file?.endsWith(`:${ino}`))
    .map(([, , , kind, , , first, last]) => `${kind} ${first} ${last}`);
}

/** The files of a folder that a process has open. */
const openFiles = (pid: number, folder: string) =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith(folder);
    } catch {
      // Closed meanwhile.
      return false;
    }
  }).length;

test("a listener on an address that others can reach is a warning in the log", async () => {
  const { child } = await startServer(
    newData(),
    "--admin-port",
    "0.0.0.0:0",
    "--log-level",
    "warn",
  );
  child.kill("SIGTERM");
  await child.exited;
  // Notes for people, such as that there are no keys yet, may come before or after it.
  const lines = (await new Response(child.stderr).text()).split("\n");
  const warnings = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  expect(warnings).toMatchObject([{ level: 40, event: "admin-exposed" }]);
});

/** Only Linux reports the memory of a process. */
const onLinux = describe.skipIf(process.platform !== "linux");

onLinux("a running server", () => {
  const data = newData();
  let server: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    await matchbook(["keys", "create", "--name", "one", "--data", data]);
    server = await startServer(data, "--log-level", "silent");
  });
  afterAll(async () => {
    server.child.kill("SIGTERM");
    expect(await server.child.exited).toBe(0);
  });

  test("keeps the key file locked after keys are listed, so that other programs do not remove its log", async () => {
    const { child, adminUrl } = server;
    const file = join(data, "access.sqlite");
    const before = locksOn(file, child.pid);
    expect(before).not.toEqual([]);
    const headers = { Authorization: `Bearer ${TOKEN}` };
    expect((await fetch(`${adminUrl}/keys`, { headers })).status).toBe(200);
    expect(locksOn(file, child.pid)).toEqual(before);
  });

  testLong("keeps its memory bounded while far more is sent than may be buffered", async () => {
    const { child, adminUrl } = server;
    // From now on the storing thread exists.
    await uploadTo(adminUrl, ndjson(some(1000, "before")));
    const before = ownMemory(child.pid);
    const upload = await openUpload(adminUrl);
    const pad = " ".repeat(256 * 1024);
    const DOCUMENTS = 1000;
    let most = 0;
    let sent = 0;
    for (let count = 0; count < DOCUMENTS; count++) {
      const text = JSON.stringify(small(`large-${count}`));
      // A valid document made longer, and one that is rejected.
      const piece = `${text.slice(0, -1)}${pad}}\nno document\n`;
      await upload.write(piece);
      sent += piece.length;
      if (count % 20 === 0) most = Math.max(most, ownMemory(child.pid));
    }
    await upload.end();
    const { report, notStored } = await upload.reply();
    expect(notStored).toHaveLength(DOCUMENTS);
    expect(report).toMatchObject({ stored: DOCUMENTS, rejected: DOCUMENTS });
    expect(sent / 2 ** 20).toBeGreaterThan(240);
    expect(most - before).toBeLessThan(200);
  });

  testLong("has no more files open after uploads that are cut off", async () => {
    const { child, adminUrl } = server;
    await uploadTo(adminUrl, ndjson(some(10, "first")));
    const before = openFiles(child.pid, data);
    expect(before).toBeGreaterThan(0);
    for (let round = 0; round < 10; round++) {
      // It is accepted only while fewer than two are in progress.
      await until("an upload is accepted", async () => {
        const { status } = await uploadTo(adminUrl, "");
        return status === 200;
      });
      const upload = await openUpload(adminUrl);
      await upload.write(ndjson(some(20, `round-${round}`)));
      upload.socket.destroy();
    }
    await until("an upload is accepted", async () => (await uploadTo(adminUrl, "")).status === 200);
    await until("the files are closed", () => openFiles(child.pid, data) <= before);
  });
});

describe("SIGTERM", () => {
  test("ends an upload once what was read is stored, and reports it", async () => {
    const data = newData();
    const { child, adminUrl } = await startServer(data, "--log-level", "silent");
    const upload = await openUpload(adminUrl);
    await upload.write(ndjson(some(2000, "sent")));
    await until("some of the upload is stored", async () => (await held(data)) > 0 || undefined);
    child.kill("SIGTERM");
    const { status, report, error } = await upload.reply();
    expect([status, error!.code]).toEqual([503, "stopping"]);
    expect(report.stored).toBeWithin(256, 2001);
    expect(await child.exited).toBe(0);
    expect(await held(data)).toBe(report.stored);
  });

  test("does not wait for a response that nobody reads", async () => {
    const { child, adminUrl } = await startServer(newData());
    const upload = await openUpload(adminUrl);
    // Each line is rejected, and the response is larger than any socket buffer.
    await upload.write("x\n".repeat(80_000));
    await upload.end();
    const log = child.stderr.getReader();
    for (let text = ""; !text.includes('"event":"upload"'); ) {
      text += Buffer.from((await log.read()).value!).toString();
    }
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    upload.socket.destroy();
    // Less than the two minutes for which the response would be kept.
  }, 100_000);
});
