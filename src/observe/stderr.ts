/** In charge of getting log lines to standard error without slowing the service or ending it. */

import pino from "pino";

const GATHER_MS = 100;
const GATHER_CHARACTERS = 16_384;

// What cannot be written (a full disk) is kept for a better moment, but not without end.
const KEPT_BYTES = 1_048_576;

export interface LineSink {
  /** Takes one line, its line feed included. */
  write(line: string): void;
  /** Writes what was gathered. */
  flush(): void;
}

/**
 * Lines are gathered for a moment, because a write for each would cost as much as the request it
 * tells of when a pipe is behind it. What must not wait is flushed by the caller.
 */
export function gatheredStderr(): LineSink {
  const target = pino.destination({ fd: 2, sync: true, maxLength: KEPT_BYTES });
  // Whoever read the log has gone, or the disk is full. The service does not end for that.
  target.on("error", () => {});
  let gathered = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const lines = gathered;
    gathered = "";
    if (lines !== "") target.write(lines);
  };
  const write = (line: string) => {
    gathered += line;
    if (gathered.length >= GATHER_CHARACTERS) flush();
    else timer ??= setTimeout(flush, GATHER_MS).unref();
  };
  process.on("exit", flush);
  return { write, flush };
}
