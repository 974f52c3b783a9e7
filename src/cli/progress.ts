/** In charge of showing progress: a bar with a rate on a terminal, nothing anywhere else. */

import { SingleBar } from "cli-progress";

export interface Progress {
  /** `done` counts towards the total; `records` is what the rate is about. */
  update(done: number, records: number): void;
  stop(): void;
}

/** A total of 0 means that it is not known: then only records and rate are shown. */
export function startProgress(label: string, total: number): Progress {
  if (!process.stderr.isTTY) return { update() {}, stop() {} };
  const began = performance.now();
  const bar = new SingleBar({
    format:
      total > 0
        ? `${label} {bar} {percentage}% | {records} matches | {rate}/s`
        : `${label} {records} matches | {rate}/s`,
    stream: withoutReturn(process.stderr),
    barsize: 30,
    // The terminal stays as it is, since Ctrl-C would leave it so: a bar that is too wide is cut short.
    linewrap: true,
    clearOnComplete: true,
    stopOnComplete: false,
    fps: 10,
  });
  bar.start(Math.max(total, 1), 0, { records: 0, rate: 0 });
  return {
    update(done, records) {
      const seconds = (performance.now() - began) / 1000;
      bar.update(Math.min(done, Math.max(total, 1)), {
        records,
        rate: seconds > 0 ? Math.round(records / seconds) : 0,
      });
    },
    stop: () => bar.stop(),
  };
}

/** At its end the bar would go back to where it began, over the notes that were written meanwhile. */
function withoutReturn(terminal: NodeJS.WriteStream): NodeJS.WritableStream {
  const SAVE_PLACE = "\x1b7";
  const GO_BACK = "\x1b8";
  return new Proxy(terminal, {
    get(target, name) {
      if (name !== "write") return Reflect.get(target, name, target);
      return (text: string) => text === SAVE_PLACE || text === GO_BACK || target.write(text);
    },
  });
}
