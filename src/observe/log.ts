/** In charge of the log: JSON lines for machines, one readable line an event on a terminal. */

import pino from "pino";
import type { Event, Observe } from "./events.ts";
import { presentable, printable, type ShownEvent } from "./present.ts";
import { requestLine } from "./request-line.ts";
import { LEVELS, type Paint, sentence } from "./sentences.ts";
import { gatheredStderr, type LineSink } from "./stderr.ts";

export type LogLevel = pino.LevelWithSilent;

/** Where lines go. Standard error has all of these. */
export interface LogStream {
  write(text: string): unknown;
  isTTY?: boolean;
}

export interface LogOptions {
  level: LogLevel;
  /** Whether to show the player names that callers ask for. */
  showNames?: boolean;
  /** Which of several processes this is, whose lines go to the same place. */
  worker?: number | undefined;
  /** Standard error when absent. */
  stream?: LogStream;
  /** Whether a terminal shows colours; by the environment when absent. */
  colours?: boolean;
}

const COLOURS = { green: 32, cyan: 36, yellow: 33, red: 31, dim: 2 } as const;

export function logTo({
  level,
  showNames = false,
  worker,
  stream = process.stderr,
  colours,
}: LogOptions): Observe {
  const present = (event: Event) => presentable(event, showNames);
  return stream.isTTY === true
    ? readableLines(level, stream, present, worker, colours ?? supportsColours(process.env))
    : jsonLines(level, stream, present, worker, showNames);
}

type Present = (event: Event) => ShownEvent;

function jsonLines(
  level: LogLevel,
  stream: LogStream,
  present: Present,
  worker: number | undefined,
  showNames: boolean,
): Observe {
  const isAlone = worker === undefined;
  const sink = stream === process.stderr ? gatheredStderr(isAlone) : direct(stream);
  const logger = pino({ level, base: isAlone ? null : { worker } }, sink);
  const showsRequests = logger.isLevelEnabled(LEVELS.request);
  return (event) => {
    // Requests are many, and can wait.
    if (event.event === "request") {
      if (showsRequests) sink.write(requestLine(event, showNames, worker));
      return;
    }
    const severity = LEVELS[event.event];
    if (!logger.isLevelEnabled(severity)) return;
    logger[severity](present(event));
    // Anything else is rare and may be the last line before an end.
    sink.flush();
  };
}

function direct(stream: LogStream): LineSink {
  return { write: (line) => void stream.write(line), flush: () => {} };
}

function readableLines(
  level: LogLevel,
  stream: LogStream,
  present: Present,
  worker: number | undefined,
  colours: boolean,
): Observe {
  const paint: Paint = (colour, text) =>
    colours ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;
  const severities = pino.levels.values;
  const least = severities[level] ?? Number.POSITIVE_INFINITY;
  const whose = worker === undefined ? "" : `${paint("dim", `worker ${worker}:`)} `;
  return (event) => {
    if (severities[LEVELS[event.event]]! < least) return;
    const time = new Date().toTimeString().slice(0, 8);
    stream.write(`${paint("dim", time)} ${whose}${sentence(printable(present(event)), paint)}\n`);
  };
}

function supportsColours(env: Record<string, string | undefined>): boolean {
  return !env.NO_COLOR && env.TERM !== "dumb";
}
