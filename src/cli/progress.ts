/** A progress line with the rate, on terminals only. */

import { CLEAR_LINE } from "./command.ts";

export interface Progress {
  /** `done` counts towards the total; `records` is shown, and for the rate. */
  update(done: number, records: number): void;
  stop(): void;
}

const INTERVAL_MS = 100;

/** A total of 0 means unknown: then only records and rate are shown. */
export function startProgress(label: string, total: number, what = "matches"): Progress {
  if (!process.stderr.isTTY) return { update() {}, stop() {} };
  const began = performance.now();
  let drawn = began;
  const draw = (done: number, records: number) => {
    drawn = performance.now();
    const percent = total > 0 ? ` ${Math.floor(Math.min(1, done / total) * 100)}% |` : "";
    const rate = drawn > began ? Math.round((records * 1000) / (drawn - began)) : 0;
    process.stderr.write(`${CLEAR_LINE}${label}${percent} ${records} ${what} | ${rate}/s`);
  };
  draw(0, 0);
  return {
    update(done, records) {
      if (performance.now() - drawn >= INTERVAL_MS) draw(done, records);
    },
    stop: () => void process.stderr.write(CLEAR_LINE),
  };
}
