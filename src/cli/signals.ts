/** In charge of what signals mean to a server: its end, or new settings. */

import { isatty } from "node:tty";
import type { Observe } from "../observe/events.ts";

const STANDARD_INPUT = 0;

/** A terminal that is closed says so by SIGHUP to what was started in it. */
const isInTerminal = (): boolean => isatty(STANDARD_INPUT);

/**
 * Who sends SIGHUP to a service wants new settings, not its end. Without workers there is nobody who
 * could serve meanwhile: so nothing happens, and that is said.
 */
export function stayOnHangup(log: Observe): void {
  if (!isInTerminal()) process.on("SIGHUP", () => log({ event: "nothing-reloaded" }));
}

/** The next signal that ends a server. */
export function nextSignal(workers: number): Promise<string> {
  const endsWithTerminal = workers === 1 && isInTerminal();
  const signals = ["SIGTERM", "SIGINT", ...(endsWithTerminal ? ["SIGHUP"] : [])];
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve(signal));
  });
}
