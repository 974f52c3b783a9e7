/** In charge of the life of workers: their start, their loss, their renewal, their end. */

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ndjson } from "../support/admin.ts";
import { Callers } from "../support/callers.ts";
import { matchbook, spawnMatchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { childrenOf, isAlive, startWorkers } from "../support/workers.ts";
import { aFolder, JSON_API } from "../support/world.ts";

// Several processes may share a slow machine, and a farewell lasts some fifteen seconds.
setDefaultTimeout(120_000);

const folder = aFolder();
afterAll(() => folder.remove());
const data = join(folder.path, "data");

await matchbook(["ingest", "-", "--data", data], { stdin: ndjson([aMatch({ id: "one" })]) });
const made = await matchbook([
  "keys",
  "create",
  "--name",
  "k",
  "--rate",
  "9999999",
  "--data",
  data,
]);
const headers = { Authorization: `Bearer ${made.stdout.trim()}`, Accept: JSON_API };

const start = (...flags: string[]) =>
  startWorkers(["--workers", "2", "--data", data, "--drain-ms", "0", ...flags]);

const callersOf = (url: string, callers = 8) =>
  new Callers({ url, path: "/shards/na/matches/one", headers, callers, pauseMs: 5 });

/** Callers that have met both workers. The system deals out connections by chance: so many never meet only one. */
async function meetBoth(url: string): Promise<Callers> {
  const callers = callersOf(url, 32);
  await until("both workers answer", () => callers.processes.size === 2);
  return callers;
}

/** When so many more replies have come. */
const repliesOf = (callers: Callers, more: number) => {
  const before = callers.replies;
  return until(`${more} more responses`, () => callers.replies >= before + more);
};

const ended = (pids: readonly number[]) =>
  until("the processes have ended", () => !pids.some(isAlive));

describe("the start", () => {
  test("is told once, when all workers answer", async () => {
    const server = await start();
    const callers = await meetBoth(server.url);
    await callers.stop();
    expect(callers.losses).toEqual([]);
    expect([...callers.statuses.keys()]).toEqual([200]);
    expect(childrenOf(server.pid)).toHaveLength(2);
    expect(await server.end()).toBe(0);
  });

  test("on a port that is taken fails as that of one process does, and is told once", async () => {
    const other = await startServerProcess(["--data", data]);
    const { port } = new URL(other.url);
    const args = ["serve", "--port", port, "--data", data, "--log-level", "error"];
    const alone = await matchbook(args);
    const several = await matchbook([...args, "--workers", "2"]);
    expect(several).toEqual(alone);
    expect(several.exitCode).toBe(1);
    await other.end();
  });

  test("does not share the port of another server of workers", async () => {
    const other = await start();
    const { port } = new URL(other.url);
    const second = await matchbook(["serve", "--port", port, "--data", data, "--workers", "2"]);
    expect([second.exitCode, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toContain(port);
    await other.end();
  });
});

describe("a worker that is killed", () => {
  test("takes with it only the requests in flight on it, and is replaced", async () => {
    const server = await start();
    const callers = callersOf(server.url);
    const ready = await server.events("worker-ready", 2);
    await repliesOf(callers, 500);
    const victim = ready.find(({ worker }) => worker === 2)!;
    process.kill(victim.pid, "SIGKILL");
    const [, , another] = await server.events("worker-ready", 3);
    // Those that were thrown out may all have gone to the other one; more of them meet both.
    const newcomers = await meetBoth(server.url);
    await repliesOf(callers, 500);
    await Promise.all([callers.stop(), newcomers.stop()]);

    expect(another).toMatchObject({ worker: 2 });
    const [lost] = await server.events("worker-exited");
    expect(lost).toMatchObject({ worker: 2, pid: victim.pid, how: "SIGKILL", delayMs: 0 });
    // Each caller has one request in flight at a time. Those at the other worker lost none.
    expect(callers.losses.length).toBeLessThanOrEqual(8);
    const losers = new Set(callers.losses.flatMap((loss) => loss.process ?? []));
    expect(losers.size).toBeLessThanOrEqual(1);
    expect([...callers.statuses.keys()]).toEqual([200]);
    expect(newcomers.losses).toEqual([]);
    expect(await server.end()).toBe(0);
  });

  test("again and again is replaced after longer and longer waits", async () => {
    const server = await start();
    const callers = callersOf(server.url, 2);
    for (let time = 1; time <= 4; time++) {
      const ready = await server.events("worker-ready", time + 1);
      process.kill(ready.findLast(({ worker }) => worker === 1)!.pid, "SIGKILL");
      await server.events("worker-exited", time);
    }
    await server.events("worker-ready", 6);
    const lost = await server.events("worker-exited");
    expect(lost.map(({ delayMs }) => delayMs)).toEqual([0, 250, 500, 1000]);
    await callers.stop();
    expect(await server.end()).toBe(0);
  });
});

describe("SIGHUP", () => {
  test("renews all workers under load, and no request on a kept connection fails", async () => {
    const server = await start();
    const callers = await meetBoth(server.url);
    const before = childrenOf(server.pid);
    const old = [...callers.processes];
    server.child.kill("SIGHUP");
    await server.events("restarted");
    await repliesOf(callers, 500);
    const newcomers = await meetBoth(server.url);
    await Promise.all([callers.stop(), newcomers.stop()]);

    const after = childrenOf(server.pid);
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(old.filter((process) => newcomers.processes.has(process))).toEqual([]);
    expect(newcomers.losses).toEqual([]);
    expect(callers.losses.filter(({ wasKept }) => wasKept)).toEqual([]);
    expect([...callers.statuses.keys()]).toEqual([200]);
    // Each process writes its own lines when it can, so their times tell the order, not their places.
    const ready = await server.events("worker-ready", 4);
    const stopping = await server.events("stopping", 2);
    const turns = [ready[2]!, stopping[0]!, ready[3]!, stopping[1]!];
    expect(turns.map(({ worker }) => worker)).toEqual([1, 1, 2, 2]);
    expect(turns.map(({ time }) => time)).toEqual(turns.map(({ time }) => time).sort());
    expect(await server.end()).toBe(0);
  });

  test("changes nothing when new workers cannot begin", async () => {
    const settings = join(folder.path, "settings.toml");
    writeFileSync(settings, "rate = 60\n");
    const server = await start("--config", settings);
    const before = childrenOf(server.pid);
    writeFileSync(settings, 'rate = "many"\n');
    server.child.kill("SIGHUP");
    const [broken] = await server.events("restart-failed");
    expect(broken).toMatchObject({ worker: 1, how: "exit code 2" });
    expect(childrenOf(server.pid)).toEqual(before);
    expect(server.log.filter(({ said }) => said?.includes("rate"))).toHaveLength(1);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await server.end()).toBe(0);
  });
});

describe("the end", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "by %s is exit 0 and leaves no process",
    async (signal) => {
      const server = await start("--drain-ms", "300");
      const callers = callersOf(server.url);
      await repliesOf(callers, 100);
      const workers = childrenOf(server.pid);
      const over = callers.stop();
      // As a terminal does it, or a service manager: to all of them.
      for (const pid of workers) process.kill(pid, signal);
      expect(await server.end(signal)).toBe(0);
      await over;
      expect(workers.filter(isAlive)).toEqual([]);
      expect(server.log.filter(({ event }) => event === "stopped")).toHaveLength(2);
      expect(server.log.filter(({ event }) => event === "worker-exited")).toEqual([]);
    },
  );

  test("cuts a restart short", async () => {
    const server = await start();
    const workers = childrenOf(server.pid);
    server.child.kill("SIGHUP");
    await server.events("stopping");
    const began = performance.now();
    expect(await server.end()).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
    await ended(workers);
  });

  test.each([0, 5, 50])(
    "comes to workers whose supervisor is killed %d ms after it was told to stop",
    async (pause) => {
      const server = await start();
      const callers = callersOf(server.url, 32);
      await repliesOf(callers, 100);
      const workers = childrenOf(server.pid);
      server.child.kill("SIGTERM");
      await Bun.sleep(pause);
      const over = callers.stop();
      await server.end("SIGKILL");
      await ended(workers);
      await over;
    },
  );

  test("comes to workers whose supervisor is killed before they could begin", async () => {
    const child = spawnMatchbook(["serve", "--port", "0", "--workers", "2", "--data", data]);
    const workers = await until("the workers have started", () => {
      const found = childrenOf(child.pid);
      return found.length > 0 ? found : undefined;
    });
    child.kill("SIGKILL");
    await child.exited;
    await ended(workers);
  });

  test("comes to workers whose supervisor was killed", async () => {
    const server = await start();
    const workers = childrenOf(server.pid);
    expect(workers).toHaveLength(2);
    await server.end("SIGKILL");
    await ended(workers);
    const stopping = server.log.filter(({ event }) => event === "stopping");
    expect(stopping.map(({ signal }) => signal)).toEqual(["supervisor gone", "supervisor gone"]);
  });
});
