/** Errors that no code caught: logged, and the process is shut down, because its state is unknown. */

import type { Observe } from "./events.ts";

/** How long a graceful shutdown may take; it may hang because of the same error. */
const SHUTDOWN_MS = 15_000;

/** `stop` starts a graceful shutdown; it is called once. The exit code becomes 1. */
export function onUncaughtError(observe: Observe, stop: () => void): void {
  let isStopping = false;
  const handle = (error: unknown) => {
    observe({ event: "uncaught-error", error });
    process.exitCode = 1;
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    stop();
  };
  process.on("uncaughtException", handle);
  process.on("unhandledRejection", handle);
}
