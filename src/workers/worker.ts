/** In charge of one worker: it serves as its supervisor tells it to, and ends with it. */

import { logTo } from "../observe/log.ts";
import { processFamilies } from "../observe/process-metrics.ts";
import { standardError } from "../observe/stderr.ts";
import type { Settings } from "../settings/table.ts";
import { type RunningMatchbook, serve } from "../wiring.ts";
import type { FromWorker, Orders, ToWorker } from "./messages.ts";
import { INHERITED } from "./process.ts";
import { openSharedLimits } from "./shared-limits.ts";
import { machineClock } from "./system.ts";

/** Resolves when the server has stopped. */
export async function work(settings: Settings): Promise<void> {
  const ordered = Promise.withResolvers<Orders>();
  const stopped = Promise.withResolvers<{ signal: string; farewellMs: number }>();
  const alone = Promise.withResolvers<void>();
  let running: RunningMatchbook | undefined;

  const stop = (signal: string, farewellMs: number) => {
    stopped.resolve({ signal, farewellMs });
    // If it is stopping already, it may have to hurry.
    void running?.stop(signal, farewellMs);
  };
  process.on("message", (message: ToWorker) => {
    if (message.say === "begin") ordered.resolve(message.orders);
    else if (message.say === "stop") stop(message.signal, message.farewellMs);
    else if (running) void answer(running, message);
  });
  const farewellMs = settings["farewell-ms"];
  process.once("disconnect", () => {
    alone.resolve();
    stop("supervisor gone", farewellMs);
  });
  process.on("SIGTERM", () => stop("SIGTERM", farewellMs));
  // A terminal sends these to all processes of a command. The supervisor knows what they mean.
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
  // What is said to a supervisor that has just gone is never taken.
  const tell = (message: FromWorker) => Promise.race([sent(message), alone.promise]);
  try {
    await tell({ say: "here" });
    const orders = await Promise.race([ordered.promise, alone.promise]);
    if (!orders) return;
    running = await begin(settings, orders);
    await tell({ say: "ready", url: running.url });
    const asked = await stopped.promise;
    await running.stop(asked.signal, asked.farewellMs);
    await tell({ say: "bye", service: running.metrics.families() });
  } finally {
    if (process.connected) process.disconnect?.();
  }
  await standardError.end();
}

function begin(settings: Settings, orders: Orders): Promise<RunningMatchbook> {
  const { number, workers, host, port, seed, offeredKey } = orders;
  const showNames = settings["log-names"] === "on";
  const log = logTo({ level: settings["log-level"], showNames, worker: number });
  // The supervisor has the private listener.
  const own = { ...settings, host, port, "admin-port": undefined };
  const clock = { now: Date.now, monotonic: machineClock() };
  return serve(own, log, clock, openSharedLimits(INHERITED, workers, seed), offeredKey);
}

async function answer(
  { metrics, lookAtKeys }: RunningMatchbook,
  { say, ask }: Extract<ToWorker, { ask: number }>,
): Promise<void> {
  if (say === "look-at-keys") {
    await lookAtKeys();
    await sent({ say: "looked", ask });
    return;
  }
  const counted = { service: metrics.families(), process: await processFamilies() };
  await sent({ say: "counted", ask, counted });
}

function sent(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
