/** Near the limit of file descriptors, the server stays calm, serves open connections, and logs it. */

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "../support/connection.ts";
import { MATCHBOOK } from "../support/process.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { startWorkers } from "../support/workers.ts";

// Several processes may share a slow machine.
const folder = sharedFolder();

const LIMIT = 80;

test("when descriptors run short, connections wait, the log says so, and nothing spins", async () => {
  const program = join(folder, "limited");
  writeFileSync(program, `#!/bin/sh\nulimit -n ${LIMIT}\nexec ${MATCHBOOK} "$@"\n`, {
    mode: 0o755,
  });
  const server = await startWorkers(["--data", folder, "--drain-ms", "0"], { program });
  const served = await Connection.open(server.url);
  let connections: Connection[] = [];
  /** More than fit; the server closes idle ones after ten seconds. */
  const fill = async () => {
    connections = connections.filter(({ isClosed }) => !isClosed);
    while (connections.length < 2 * LIMIT) connections.push(await Connection.open(server.url));
  };
  try {
    expect(await statusOver(served)).toBe(200);
    await fill();
    const [low] = await server.events("descriptors-low");
    expect(low).toMatchObject({ level: 40, limit: LIMIT });
    expect(low!.open).toBeGreaterThanOrEqual(0.9 * LIMIT);

    let polls = 0;
    let asleep = 0;
    await until("it sleeps, without free descriptors", async () => {
      await fill();
      polls += 1;
      // A connection in use is still served.
      if (polls % 20 === 0) expect(await statusOver(served)).toBe(200);
      // A process that tries again and again is always runnable, however busy the machine is.
      const isAsleep = openIn(server.pid) >= 0.9 * LIMIT && stateOf(server.pid) === "S";
      asleep = isAsleep ? asleep + 1 : 0;
      return asleep > 10;
    });
    expect(await statusOver(served)).toBe(200);

    for (const connection of [served, ...connections]) connection.close();
    await until("connections are accepted again", () => openIn(server.pid) < 0.8 * LIMIT);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(server.log.filter(({ event }) => event === "descriptors-low")).toHaveLength(1);
  } finally {
    for (const connection of [served, ...connections]) connection.close();
    expect(await server.end()).toBe(0);
  }
});

const statusOver = async (connection: Connection) => (await connection.ask("/healthz", {})).status;

const openIn = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** S: it sleeps; R: it runs, or would if a CPU were free. */
const stateOf = (pid: number): string | undefined =>
  readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "")[0];
