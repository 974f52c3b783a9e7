/** An error that no code caught is logged as an event, and ends the process in an orderly way. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../support/process.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { childrenOf, startWorkers } from "../support/workers.ts";

// Several processes may share a slow machine.
const folder = sharedFolder();

const start = (...flags: string[]) =>
  startWorkers(["--data", folder, "--drain-ms", "0", ...flags], {
    env: { BUN_OPTIONS: `--preload ${join(ROOT, "test/support/throws-on-signal.ts")}` },
  });

test("an uncaught exception is logged and stops the server gracefully, with exit code 1", async () => {
  const server = await start();
  expect(await server.end("SIGUSR2")).toBe(1);
  const events = server.log.slice(-3);
  expect(events).toMatchObject([
    { level: 50, event: "uncaught-error", error: { message: "thrown on purpose" } },
    { event: "stopping", signal: "uncaught error" },
    { event: "stopped" },
  ]);
});

test("a worker with an unhandled rejection logs it, stops gracefully and is replaced", async () => {
  const server = await start("--workers", "2");
  const workers = await until("two workers", () => {
    const found = childrenOf(server.pid);
    return found.length === 2 ? found : undefined;
  });
  process.kill(workers[0]!, "SIGURG");
  const [uncaught] = await server.events("uncaught-error");
  expect(uncaught).toMatchObject({ error: { message: "rejected on purpose" } });
  expect(uncaught!.worker).toBeOneOf([1, 2]);
  const [exited] = await server.events("worker-exited");
  expect(exited).toMatchObject({ worker: uncaught!.worker, how: "exit code 1" });
  await server.events("worker-ready", 3);
  expect(server.log.filter(({ event }) => event === "stopped")).toHaveLength(1);
  expect(await server.end()).toBe(0);
});
