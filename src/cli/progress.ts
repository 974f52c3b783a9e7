/** A progress line with the rate, on terminals only. */

import { CLEAR_LINE } from "./command.ts";

export interface Progress {
  /** `done` counts towards the total; `records` is shown, and for the rate. A new label starts over. */
  update(done: number, records: number, total?: number, label?: string): void;
  stop(): void;
}

const INTERVAL_MS = 100;

/** A total of 0 means unknown: then only records and rate are shown. */
export function startProgress(name: string, expected: number, what = "matches"): Progress {
  if (!process.stderr.isTTY) return { update() {}, stop() {} };
  let began = performance.now();
  let drawn = began;
  let shown = name;
  const draw = (done: number, records: number, total = expected, label = name) => {
    drawn = performance.now();
    if (label !== shown) began = drawn;
    shown = label;
    const percent = total > 0 ? ` ${Math.floor(Math.min(1, done / total) * 100)}% |` : "";
    const rate = drawn > began ? Math.round((records * 1000) / (drawn - began)) : 0;
    process.stderr.write(`${CLEAR_LINE}${label}${percent} ${records} ${what} | ${rate}/s`);
  };
  draw(0, 0);
  return {
    update(...values) {
      if (performance.now() - drawn >= INTERVAL_MS) draw(...values);
    },
    stop: () => void process.stderr.write(CLEAR_LINE),
  };
}

/** Shows progress while `work` runs, which reports how much is done. */
export async function withProgress<T>(
  label: string,
  total: number,
  what: string,
  work: (update: (done: number, total?: number, label?: string) => void) => Promise<T>,
): Promise<T> {
  const progress = startProgress(label, total, what);
  try {
    return await work((done, ...more) => progress.update(done, done, ...more));
  } finally {
    progress.stop();
  }
}
