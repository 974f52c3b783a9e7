/** Tests the log of `matchbook serve` with readers that are slow, stopped, or missing. */

import { expect, test } from "bun:test";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AUTHORIZATION, TOKEN } from "../support/admin.ts";
import { startServerProcess } from "../support/process.ts";
import { testLong } from "../support/scale.ts";
import { readScrape, seriesValue } from "../support/scrape.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import type { LogLine } from "../support/workers.ts";

const folder = sharedFolder();
const data = join(folder, "data");

/** A query that makes a log line of about 3,300 bytes. */
const LONG = `sort=${"a".repeat(3100)}`;
/** More than a pipe and the buffers of two workers hold. */
const TOO_MANY = 1000;
const AT_ONCE = 16;

async function request(url: string, count: number): Promise<void> {
  let sent = 0;
  const one = async () => {
    while (sent++ < count) {
      const response = await fetch(`${url}/healthz?${LONG}`);
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

let made = 0;

/** A server whose standard error is a pipe that nobody reads until `read` is called. */
async function startUnread(workers: number) {
  const pipe = join(folder, `pipe-${made++}`);
  Bun.spawnSync(["mkfifo", pipe]);
  // Kept open, so that the pipe has a reader, though one that does not read.
  const held = openSync(pipe, constants.O_RDWR);
  const written = openSync(pipe, constants.O_WRONLY);
  const flags = ["--data", data, "--drain-ms", "0", "--admin-port", "0"];
  const server = await startServerProcess([...flags, "--workers", String(workers)], {
    stderr: written,
    env: { MATCHBOOK_ADMIN_TOKEN: TOKEN },
  });
  closeSync(written);
  const adminUrl = await server.saying(/^admin listener on (http:\S+)\n/m);
  let scrapes = 0;
  return {
    ...server,
    scrapes: () => scrapes,
    /** The number of dropped lines, according to the metrics. */
    async dropped(): Promise<number> {
      scrapes += 1;
      const response = await fetch(`${adminUrl}/metrics`, { headers: AUTHORIZATION });
      const scrape = readScrape(await response.text());
      return seriesValue(scrape, "matchbook_log_lines_dropped_total")!;
    },
    /** Reads everything from now on, until the last process has exited. */
    read() {
      let text = "";
      const reader = Bun.spawn(["cat", pipe], { stdout: "pipe" });
      const ended = (async () => {
        for await (const piece of reader.stdout) {
          if (text === "") closeSync(held);
          text += Buffer.from(piece).toString("latin1");
        }
      })();
      /** Throws when a line is incomplete. The last one may still be arriving. */
      const lines = (): LogLine[] =>
        text
          .slice(0, text.lastIndexOf("\n") + 1)
          .split("\n")
          .filter((line) => line !== "" && !line.startsWith("No "))
          .map((line) => JSON.parse(line));
      return { lines, ended };
    },
    forget: () => closeSync(held),
  };
}

const countOf = (lines: LogLine[], name: string) =>
  lines.filter(({ event }) => event === name).length;

test.each([1, 2])(
  "with %d workers, a log that nobody reads delays neither requests nor shutdown",
  async (workers) => {
    const server = await startUnread(workers);
    await request(server.url, TOO_MANY / 2);
    expect(await server.end()).toBe(0);
    server.forget();
  },
);

testLong(
  "when the buffers are full, whole lines are dropped; the metrics say how many",
  async () => {
    const server = await startUnread(2);
    await request(server.url, TOO_MANY);
    const dropped = await server.dropped();
    expect(dropped).toBeGreaterThan(0);
    const { lines, ended } = server.read();
    const requests = () => countOf(lines(), "request") + countOf(lines(), "admin-request");
    // Before that, the lines of the end could be dropped too.
    await until("what was buffered is read", () => requests() + dropped >= TOO_MANY);
    expect(await server.end()).toBe(0);
    await ended;
    expect(requests() + dropped).toBe(TOO_MANY + server.scrapes());
    expect(countOf(lines(), "stopped")).toBe(2);
  },
);

testLong.each([1, 2])(
  "with %d workers, a slow reader loses nothing, up to the exit",
  async (workers) => {
    const server = await startUnread(workers);
    // More than the pipe holds, but less than the buffer.
    await request(server.url, 200);
    const end = server.end();
    const { lines, ended } = server.read();
    expect(await end).toBe(0);
    await ended;
    expect(countOf(lines(), "request")).toBe(200);
    expect(countOf(lines(), "stopped")).toBe(workers);
  },
);

test("a log file gets every line", async () => {
  const file = join(folder, "log");
  const written = openSync(file, "a");
  const flags = ["--data", data, "--drain-ms", "0", "--workers", "2"];
  const server = await startServerProcess(flags, { stderr: written });
  closeSync(written);
  await request(server.url, 170);
  expect(await server.end()).toBe(0);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const requests = lines.filter((line) => line.includes('"event":"request"'));
  expect(requests.map((line) => JSON.parse(line).status)).toEqual(Array(170).fill(200));
});
