/** Connections that cost a server something and bring it nothing: what they cost, and when they are closed. */

import { readFileSync } from "node:fs";
import type { Server } from "./children.ts";
import { BenchError, progress } from "./failure.ts";
import type { ConnectionsRow } from "./results.ts";
import { memoryOf } from "./usage.ts";

/** At once, so that none is refused because too many wait to be accepted. */
const OPENED_AT_ONCE = 100;
const BYTE_EVERY_MS = 3000;
const PATIENCE_MS = 60_000;

interface Kind {
  name: string;
  connections: number;
  /** What the clients send first, and then every few seconds. */
  first: string;
  more: string;
}

export async function measureConnections(server: Server, page: string): Promise<ConnectionsRow[]> {
  const kinds: Kind[] = [
    { name: "idle", connections: 10_000, first: "", more: "" },
    {
      name: "with slow headers",
      connections: 10_000,
      first: "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
      more: "x",
    },
    { name: "that read no response", connections: 1000, first: page, more: "" },
  ];
  const rows: ConnectionsRow[] = [];
  for (const kind of kinds) {
    const row = await measureKind(server, kind);
    rows.push(row);
    progress(
      `  ${row.connections} connections ${row.name}: ${row.openMiB} MiB, closed after ${row.closedAfterSeconds} s`,
    );
  }
  return rows;
}

async function measureKind(server: Server, kind: Kind): Promise<ConnectionsRow> {
  const beforeMiB = residentMiB(server);
  const began = performance.now();
  const sockets = await openAll(server, kind);
  let openMiB = residentMiB(server);
  const trickle = setInterval(() => {
    if (kind.more !== "") for (const socket of sockets) socket.write(kind.more);
  }, BYTE_EVERY_MS);
  let healthMs = 0;
  let left = sockets.length;
  while (left > 0 && performance.now() - began < PATIENCE_MS) {
    const asked = performance.now();
    const health = await fetch(`${server.url}/healthz`, { headers: { Connection: "close" } });
    await health.text();
    healthMs = Math.max(healthMs, performance.now() - asked);
    openMiB = Math.max(openMiB, residentMiB(server));
    await Bun.sleep(250);
    left = establishedWith(server);
  }
  clearInterval(trickle);
  const closedAfterSeconds = Math.round((performance.now() - began) / 1000);
  for (const socket of sockets) socket.terminate();
  const { name, connections } = kind;
  const afterMiB = residentMiB(server);
  const figures = { beforeMiB, openMiB, afterMiB, closedAfterSeconds, left };
  return { name, connections, ...figures, healthMs: Math.round(healthMs) };
}

async function openAll(server: Server, { connections, first }: Kind): Promise<Bun.Socket[]> {
  const { hostname, port } = new URL(server.url);
  const sockets: Bun.Socket[] = [];
  const socket = {
    data() {},
    open(one: Bun.Socket) {
      one.pause();
      if (first !== "") one.write(first);
    },
    error() {},
  };
  const connect = () => Bun.connect({ hostname, port: Number(port), socket });
  try {
    while (sockets.length < connections) {
      const some = Array.from({ length: OPENED_AT_ONCE }, connect);
      sockets.push(...(await Promise.all(some)));
    }
  } catch (error) {
    throw new BenchError(
      `Only ${sockets.length} of ${connections} connections could be opened: ${(error as Error).message}. The limit of open files may be too low (ulimit -n 20000).`,
    );
  }
  return sockets;
}

/** As the system counts: a client that does not read does not notice that its connection was closed. */
function establishedWith({ url }: Server): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
  const isOurs = new RegExp(`^ *\\d+: [0-9A-F]{8}:${port} \\S+ 01 `);
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .filter((line) => isOurs.test(line)).length;
}

const residentMiB = ({ pid }: Server): number => Math.round(memoryOf(pid)?.resident ?? Number.NaN);
