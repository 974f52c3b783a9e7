/** Tests the life cycle of workers: start, crash, replacement, shutdown. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ndjson } from "../support/admin.ts";
import { Callers } from "../support/callers.ts";
import { Connection } from "../support/connection.ts";
import { matchbook, spawnMatchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { childrenOf, isAlive, startWorkers } from "../support/workers.ts";
import { JSON_API, makeKey } from "../support/world.ts";

// Several processes may share a slow machine.
const folder = sharedFolder();
const data = join(folder, "data");

await matchbook(["ingest", "-", "--data", data], { stdin: ndjson([aMatch({ id: "one" })]) });
const { key } = await makeKey({ data }, { rate: 9_999_999 });
const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };

const start = (...flags: string[]) =>
  startWorkers(["--workers", "2", "--data", data, "--drain-ms", "0", ...flags]);

const callersOf = (url: string, callers = 8, pauseMs = 50) =>
  new Callers({ url, path: "/shards/na/matches/one", headers, callers, pauseMs });

/** Clients that have reached both workers. The system assigns connections at random; 32 never reach only one. */
async function meetBoth(url: string, pauseMs?: number): Promise<Callers> {
  const callers = callersOf(url, 32, pauseMs);
  await until("both workers answer", () => callers.processes.size === 2);
  return callers;
}

/** Waits for this many more responses. */
const repliesOf = (callers: Callers, more: number) => {
  const before = callers.replies;
  return until(`${more} more responses`, () => callers.replies >= before + more);
};

const ended = (pids: readonly number[]) =>
  until("the processes have ended", () => !pids.some(isAlive));

describe("a running server", () => {
  // The tests of one server disturb it, but it recovers each time.
  const settings = join(folder, "settings.toml");
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    writeFileSync(settings, "rate = 60\n");
    server = await start("--config", settings);
    await server.events("worker-ready", 2);
  });
  afterAll(async () => {
    expect(await server.end()).toBe(0);
  });

  /** The log lines of an event from now on. */
  const following = (event: string) => {
    const before = server.log.filter((line) => line.event === event).length;
    return async (least = 1) => (await server.events(event, before + least)).slice(before);
  };

  /** The processes that serve, by their slot. */
  const pidOf = (worker: number) =>
    server.log.findLast((line) => line.event === "worker-ready" && line.worker === worker)!.pid;

  test("does not share its port: another one fails as with one process, which is reported once", async () => {
    const { port } = new URL(server.url);
    const args = ["serve", "--port", port, "--data", data, "--log-level", "error"];
    const [alone, several] = await Promise.all([
      matchbook(args),
      matchbook([...args, "--workers", "2"]),
    ]);
    expect(several).toEqual(alone);
    expect([several.exitCode, several.stdout]).toEqual([1, ""]);
    expect(several.stderr).toContain(port);
  });

  test("loses only the requests in flight of a worker that is killed, and replaces it", async () => {
    const isReady = following("worker-ready");
    const isLost = following("worker-exited");
    const callers = callersOf(server.url);
    await repliesOf(callers, 80);
    const victim = pidOf(2);
    process.kill(victim, "SIGKILL");
    const [another] = await isReady();
    // Disconnected clients may all have moved to the other worker; enough new ones reach both.
    const newcomers = await meetBoth(server.url);
    await repliesOf(callers, 80);
    await Promise.all([callers.stop(), newcomers.stop()]);

    expect(another).toMatchObject({ worker: 2 });
    const [lost] = await isLost();
    expect(lost).toMatchObject({ worker: 2, pid: victim, how: "SIGKILL", delayMs: 0 });
    // Each client has one request in flight at a time. Those on the other worker lost none.
    expect(callers.losses.length).toBeLessThanOrEqual(8);
    const losers = new Set(callers.losses.flatMap((loss) => loss.process ?? []));
    expect(losers.size).toBeLessThanOrEqual(1);
    expect([...callers.statuses.keys()]).toEqual([200]);
    expect(newcomers.losses).toEqual([]);
  });

  test("replaces a worker that is killed repeatedly after increasing delays", async () => {
    const isReady = following("worker-ready");
    const isLost = following("worker-exited");
    const callers = callersOf(server.url, 2, 200);
    for (let time = 1; time <= 4; time++) {
      process.kill(pidOf(1), "SIGKILL");
      await isLost(time);
      await isReady(time);
    }
    expect((await isLost()).map(({ delayMs }) => delayMs)).toEqual([0, 250, 500, 1000]);
    await callers.stop();
  });

  test("does not change by SIGHUP if new workers cannot start, and tries again at the next one", async () => {
    const before = childrenOf(server.pid);
    const isTried = following("restarting");
    const isBroken = following("restart-failed");
    writeFileSync(settings, 'rate = "many"\n');
    server.child.kill("SIGHUP");
    await isTried();
    server.child.kill("SIGHUP");
    const [broken] = await isBroken(2);
    writeFileSync(settings, "rate = 60\n");
    expect(broken).toMatchObject({ worker: 1, how: "exit code 2" });
    expect(childrenOf(server.pid)).toEqual(before);
    expect(server.log.filter(({ said }) => said?.includes("rate"))).toHaveLength(2);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  test("replaces all workers by SIGHUP under load, and no request on a reused connection fails", async () => {
    // So slow that the old workers have to wait for them.
    const callers = await meetBoth(server.url, 1000);
    const before = childrenOf(server.pid);
    const old = [...callers.processes];
    const isRestarted = following("restarted");
    const isReady = following("worker-ready");
    const isStopping = following("stopping");
    server.child.kill("SIGHUP");
    await isRestarted();
    await repliesOf(callers, 100);
    const newcomers = await meetBoth(server.url);
    await Promise.all([callers.stop(), newcomers.stop()]);

    const after = childrenOf(server.pid);
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(old.filter((process) => newcomers.processes.has(process))).toEqual([]);
    expect(newcomers.losses).toEqual([]);
    expect(callers.losses.filter(({ wasKept }) => wasKept)).toEqual([]);
    expect([...callers.statuses.keys()]).toEqual([200]);
    // Each process writes its own lines, so their times give the order, not their positions.
    const ready = await isReady(2);
    const stopping = await isStopping(2);
    const turns = [ready[0]!, stopping[0]!, ready[1]!, stopping[1]!];
    expect(turns.map(({ worker }) => worker)).toEqual([1, 1, 2, 2]);
    expect(turns.map(({ time }) => time)).toEqual(turns.map(({ time }) => time).sort());
  });
});

describe("shutdown", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "by %s exits with 0 and leaves no process",
    async (signal) => {
      const server = await start("--drain-ms", "300");
      const callers = callersOf(server.url);
      await repliesOf(callers, 40);
      const workers = childrenOf(server.pid);
      const over = callers.stop();
      // As a terminal or a service manager does: to all processes.
      for (const pid of workers) process.kill(pid, signal);
      expect(await server.end(signal)).toBe(0);
      await over;
      expect(workers.filter(isAlive)).toEqual([]);
      expect(server.log.filter(({ event }) => event === "stopped")).toHaveLength(2);
      expect(server.log.filter(({ event }) => event === "worker-exited")).toEqual([]);
    },
  );

  test("interrupts a restart", async () => {
    const shutdown = async () => {
      const server = await start();
      const workers = childrenOf(server.pid);
      const lines = Array.from({ length: 32 }, () => new Connection(server.url));
      for (const line of lines) await line.ask("/healthz", {});
      server.child.kill("SIGHUP");
      await server.events("stopping");
      const began = performance.now();
      expect(await server.end()).toBe(0);
      const milliseconds = performance.now() - began;
      await ended(workers);
      expect(server.log.filter(({ event }) => event === "restarted")).toEqual([]);
      for (const line of lines) line.close();
      return milliseconds;
    };
    // To the end, it takes longer: the first worker waits for idle connections. The machine may be busy.
    const times = [await shutdown()];
    while (times.at(-1)! > 10_000 && times.length < 3) times.push(await shutdown());
    expect(Math.min(...times)).toBeLessThan(10_000);
  });

  test("includes workers whose supervisor is killed after SIGTERM", async () => {
    const server = await start();
    const callers = callersOf(server.url, 16);
    await repliesOf(callers, 50);
    const workers = childrenOf(server.pid);
    server.child.kill("SIGTERM");
    const over = callers.stop();
    await server.end("SIGKILL");
    await ended(workers);
    await over;
  });

  test("includes workers whose supervisor is killed before they could start", async () => {
    const child = spawnMatchbook(["serve", "--port", "0", "--workers", "2", "--data", data]);
    const workers = await until("the workers have started", () => {
      const found = childrenOf(child.pid);
      return found.length > 0 ? found : undefined;
    });
    child.kill("SIGKILL");
    await child.exited;
    await ended(workers);
  });

  test("includes workers whose supervisor was killed", async () => {
    const server = await start();
    const workers = childrenOf(server.pid);
    expect(workers).toHaveLength(2);
    await server.end("SIGKILL");
    await ended(workers);
    const stopping = server.log.filter(({ event }) => event === "stopping");
    expect(stopping.map(({ signal }) => signal)).toEqual(Array(2).fill("supervisor exited"));
  });
});
