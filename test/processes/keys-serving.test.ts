/** Tests keys while a server runs: every change takes effect within five seconds. */

import { afterAll, expect, test } from "bun:test";
import { demoLines } from "../support/demo.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aFolder, JSON_API } from "../support/world.ts";

const SEEN_WITHIN_MS = 5000;

const folder = aFolder();
const cwd = folder.path;
afterAll(() => folder.remove());

const keys = (...args: string[]) => matchbook(["keys", ...args], { cwd });

test("a key is created, used, rotated, expired and revoked while a server runs", async () => {
  await matchbook(["ingest", "-"], { cwd, stdin: demoLines(5, Date.now()).join("\n") });
  const server = await startServerProcess(["--auth-failures-per-minute", "0", "--rate", "100000"], {
    cwd,
  });
  const status = async (key: string) => {
    const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API };
    return (await fetch(`${server.url}/shards/na/players`, { headers })).status;
  };
  /** Repeats the request until it gets the expected status; fails when that takes too long. */
  const becomes = async (key: string, expected: number) => {
    const began = performance.now();
    while ((await status(key)) !== expected) {
      expect(performance.now() - began).toBeLessThan(SEEN_WITHIN_MS);
      await Bun.sleep(20);
    }
  };
  const make = async (...flags: string[]) => {
    const { stdout, stderr } = await keys("create", "--name", "one", ...flags);
    return { key: stdout.trim(), id: /k_\w{10}/.exec(stderr)![0] };
  };

  const { key, id } = await make();
  await becomes(key, 200);

  const fresh = (await keys("rotate", id, "--overlap", "1h")).stdout.trim();
  await becomes(fresh, 200);
  expect(await status(key)).toBe(200);
  const freshest = (await keys("rotate", id, "--overlap", "0")).stdout.trim();
  await becomes(freshest, 200);
  await becomes(fresh, 401);
  expect(await status(key)).toBe(401);

  const short = await make("--expires", "1h");
  await becomes(short.key, 200);
  const end = new Date(Date.now() + 1500).toISOString();
  expect((await keys("change", short.id, "--expires", end)).exitCode).toBe(0);
  await becomes(short.key, 401);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(end));

  await keys("change", id, "--rate", "2");
  await becomes(freshest, 429);

  await keys("revoke", id);
  await becomes(freshest, 401);
  expect(await server.end()).toBe(0);
}, 60_000);
