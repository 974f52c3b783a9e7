/** A worker process: serves until its supervisor stops it or exits. */

import { FEATURE_EVENTS } from "../features/list.ts";
import type { Observe } from "../observe/events.ts";
import { logTo } from "../observe/log.ts";
import { processFamilies } from "../observe/process-metrics.ts";
import { standardError } from "../observe/stderr.ts";
import { onUncaughtError } from "../observe/uncaught-errors.ts";
import type { Settings } from "../settings/definitions.ts";
import { type RunningMatchbook, serve } from "../wiring.ts";
import { socketsAt, watchDescriptors } from "./descriptors.ts";
import { machineClock, openSharedLimits } from "./shared-limits.ts";
import {
  type FromWorker,
  INHERITED,
  REPLACED,
  type ToWorker,
  type WorkerOptions,
} from "./worker-process.ts";

const CHECK_MS = 250;

/** Resolves when the server has stopped. */
export async function work(settings: Settings, options: WorkerOptions): Promise<void> {
  const stopped = Promise.withResolvers<{ signal: string; drainMs: number }>();
  const disconnected = Promise.withResolvers<void>();
  let running: RunningMatchbook | undefined;

  const stop = (signal: string, drainMs: number) => {
    stopped.resolve({ signal, drainMs });
    // If it is already stopping, the new limit may be shorter.
    void running?.stop(signal, drainMs);
  };
  process.on("message", (message: ToWorker) => {
    if (message.type === "stop") stop(message.signal, message.drainMs);
    else if (running) {
      const metrics = { service: running.metrics.families(), process: processFamilies() };
      void send({ type: "metrics", id: message.id, metrics });
    }
  });
  const drainMs = settings["drain-ms"];
  process.once("disconnect", () => {
    disconnected.resolve();
    stop("supervisor exited", drainMs);
  });
  process.on("SIGTERM", () => stop("SIGTERM", drainMs));
  // A terminal sends these to all processes of a command; the supervisor handles them.
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
  // A supervisor that has just exited never receives the message.
  const report = (message: FromWorker) => Promise.race([send(message), disconnected.promise]);
  try {
    const log = logTo({
      level: settings["log-level"],
      events: FEATURE_EVENTS,
      worker: options.number,
    });
    onUncaughtError(log, () => stop("uncaught error", drainMs));
    running = await start(settings, options, log);
    await report({ type: "ready", url: running.url });
    const stopWatching = watchDescriptors(running.url, log);
    const last = await stopped.promise;
    stopWatching();
    // Other workers accept what is new, so one that is replaced need not wait after its last connection is closed.
    const checks = setInterval(() => {
      const isUnused = socketsAt(options.port).every(({ isListening }) => isListening);
      if (last.signal === REPLACED && isUnused) stop(REPLACED, 0);
    }, CHECK_MS);
    await running.stop(last.signal, last.drainMs);
    clearInterval(checks);
    await report({ type: "final-metrics", service: running.metrics.families() });
  } finally {
    if (process.connected) process.disconnect?.();
  }
  await standardError.end();
}

function start(
  settings: Settings,
  { host, port, offeredKey, visitorSecret }: WorkerOptions,
  log: Observe,
): Promise<RunningMatchbook> {
  const own = {
    ...settings,
    host,
    port,
    // The supervisor runs the admin listener.
    "admin-port": undefined,
  };
  const clock = { now: Date.now, monotonic: machineClock() };
  const sharing = { ...openSharedLimits(INHERITED, visitorSecret), visitorSecret };
  return serve(own, log, clock, sharing, offeredKey);
}

function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
