/** In charge of getting log lines to standard error without slowing the service or ending it. */

import { fstatSync } from "node:fs";
import pino from "pino";

const GATHER_MS = 100;
const GATHER_CHARACTERS = 16_384;

/** What is written to a pipe at once stays together up to this length. To a file it always does. */
const TOGETHER_IN_A_PIPE = 4096;

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
 * tells of when a pipe is behind it. What must not wait is flushed by the caller. Unless `isAlone`,
 * other processes write to the same place, and no line may be cut in two by theirs.
 */
export function gatheredStderr(isAlone = true): LineSink {
  const staysTogether = isAlone || fstatSync(2).isFile();
  const most = staysTogether ? GATHER_CHARACTERS : TOGETHER_IN_A_PIPE;
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
    if (gathered.length + line.length > most) flush();
    gathered += line;
    if (gathered.length >= most) flush();
    else timer ??= setTimeout(flush, GATHER_MS).unref();
  };
  process.on("exit", flush);
  return { write, flush };
}
