/** Tests `matchbook serve` as a process: what it prints first, a truncated file, signals, and shutdown. */

import { describe, expect, test } from "bun:test";
import { readFileSync, truncateSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { TOKEN } from "../support/admin.ts";
import { Connection } from "../support/connection.ts";
import { settingsAt } from "../support/places.ts";
import { MATCHBOOK, spawnMatchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { startWorkers } from "../support/workers.ts";
import { getAs, ingestInto, JSON_API, makeKey } from "../support/world.ts";

const folder = sharedFolder();

let made = 0;
const newData = () => join(folder, `data-${made++}`);

test.each([
  [1, []],
  [2, ["--admin-port", "0"]],
] as const)(
  "the first %d lines have the URLs, after which the server responds at once",
  async (lines, flags) => {
    const child = spawnMatchbook(["serve", "--port", "0", "--data", newData(), ...flags], {
      program: MATCHBOOK,
      env: { MATCHBOOK_ADMIN_TOKEN: TOKEN },
    });
    const reader = child.stdout.getReader();
    let said = "";
    while (said.split("\n").length <= lines) {
      said += Buffer.from((await reader.read()).value!).toString();
    }
    const url = "http://127\\.0\\.0\\.1:\\d+";
    const admin = lines === 2 ? `admin listener on ${url}\n` : "";
    expect(said).toMatch(new RegExp(`^listening on ${url}\n${admin}$`));
    const [, first] = /^listening on (\S+)/.exec(said)!;
    expect((await fetch(`${first}/healthz`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    expect((await reader.read()).done).toBe(true);
  },
);

test("a shard's file that is truncated neither ends the server nor affects other shards", async () => {
  const data = newData();
  const { key } = await makeKey({ data });
  await ingestInto(settingsAt(data), [aMatch({ id: "in-na" }), aMatch({ shard: "eu" })]);
  const server = await startServerProcess(["--data", data, "--log-level", "silent"]);
  const get = (path: string) => getAs({ ...server, key }, path);
  try {
    expect((await get("/shards/na/players")).status).toBe(200);
    // Reading a part of a mapped file that is gone would kill the process (SIGBUS).
    const mapped = readFileSync(`/proc/${server.child.pid}/maps`, "utf8").split("\n");
    expect(mapped.filter((line) => line.endsWith(".db"))).toEqual([]);
    // The page of the schema alone is left.
    truncateSync(join(data, "na.db"), 8192);
    expect(await get("/shards/na/matches/in-na")).toMatchObject({
      ...{ status: 503, body: { errors: [{ code: "damaged-data" }] } },
    });
    expect((await get("/shards/eu/matches")).status).toBe(200);
  } finally {
    await server.end();
  }
});

describe("SIGHUP without workers", () => {
  test("changes nothing, and the log says so", async () => {
    const server = await startWorkers(["--data", newData()]);
    server.child.kill("SIGHUP");
    await server.events("reload-ignored");
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await server.end()).toBe(0);
  });

  // util-linux's script runs a command in its own terminal.
  test.skipIf(Bun.which("script") === null)(
    "ends a server whose terminal is closed (needs script)",
    async () => {
      const data = newData();
      const command = `exec ${MATCHBOOK} serve --port 0 --data ${data}`;
      const terminal = Bun.spawn(["script", "-qec", command, "/dev/null"], {
        stdin: "pipe",
        stdout: "pipe",
        stderr: "inherit",
      });
      let output = "";
      const listening = (async () => {
        for await (const piece of terminal.stdout) output += Buffer.from(piece).toString();
      })();
      const url = await until(
        "the server listens",
        () => /listening on (http:\S+)/.exec(output)?.[1],
      );
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      terminal.kill("SIGKILL");
      await until("the server has ended", async () => {
        try {
          await (await fetch(`${url}/healthz`)).text();
          return undefined;
        } catch {
          return true;
        }
      });
      await listening;
    },
  );
});

describe("shutdown", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "by %s exits with 0, even with idle connections open",
    async (signal) => {
      const server = await startServerProcess(["--data", newData(), "--drain-ms", "0"]);
      const [silent, idle] = [await Connection.open(server.url), new Connection(server.url)];
      await idle.ask("/healthz", {});
      expect(await server.end(signal)).toBe(0);
      silent.close();
      idle.close();
    },
    // Less than the ten seconds after which the runtime itself closes a connection.
    8000,
  );

  test("tells clients to close their connections before the listener stops", async () => {
    const server = await startServerProcess(["--data", newData(), "--drain-ms", "3000"]);
    server.child.kill("SIGTERM");
    const isClosing = await until("a response closes its connection", async () => {
      const response = await fetch(`${server.url}/healthz`);
      expect(response.status).toBe(200);
      return response.headers.get("connection") === "close" || undefined;
    });
    expect(isClosing).toBe(true);
    expect(await server.child.exited).toBe(0);
  });

  test("waits for the last byte of a response in progress", async () => {
    const data = newData();
    const { key } = await makeKey({ data });
    // Larger than any socket buffer, so that the response waits for its reader.
    const notes = Array.from({ length: 14 }, () => randomText(1 << 20));
    await ingestInto(settingsAt(data), [aMatch({ id: "large", attributes: { notes } })]);
    const server = await startServerProcess(["--data", data, "--drain-ms", "0"]);

    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const headers = `Host: matchbook\r\nAuthorization: Bearer ${key}\r\nAccept: ${JSON_API}\r\n`;
    socket.write(`GET /shards/na/matches/large HTTP/1.1\r\n${headers}\r\n`);
    const received: Buffer[] = [await new Promise((resolve) => socket.once("data", resolve))];
    socket.pause();
    server.child.kill("SIGTERM");
    await until("the listener is closed", () => isRefused(server.url));
    const size = wholeSize(received[0]!);
    let arrived = received[0]!.length;
    const whole = new Promise<void>((resolve) => {
      socket.on("close", () => resolve());
      socket.on("data", (chunk: Buffer) => {
        received.push(chunk);
        arrived += chunk.length;
        if (arrived >= size) resolve();
      });
    });
    socket.resume();
    await whole;

    const response = Buffer.concat(received);
    expect(response.toString("latin1", 0, 12)).toBe("HTTP/1.1 200");
    expect(response.length).toBe(size);
    const body = JSON.parse(response.subarray(response.indexOf("\r\n\r\n") + 4).toString());
    expect(body.data.attributes.notes).toEqual(notes);
    socket.destroy();
    expect(await server.child.exited).toBe(0);
  });
});

/** True once nothing listens there any more. */
async function isRefused(url: string): Promise<true | undefined> {
  try {
    (await Connection.open(url)).close();
    return undefined;
  } catch {
    return true;
  }
}

/** The total length of a response, according to its head. */
function wholeSize(beginning: Buffer): number {
  const end = beginning.indexOf("\r\n\r\n");
  const head = beginning.toString("latin1", 0, end);
  return end + 4 + Number(/content-length: (\d+)/i.exec(head)![1]);
}

const randomText = (length: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(1 << 15)))
    .toString("base64")
    .repeat(length / (1 << 15))
    .slice(0, length);
