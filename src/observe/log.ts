/** Writes events to the log: as JSON lines, or as readable lines on a terminal. */

import {
  EVENTS,
  type Event,
  type EventKind,
  type FeatureEvents,
  type Observe,
  type ShownEvent,
  sentence,
} from "./events.ts";
import { printable, redactedEvent } from "./hide-secrets.ts";
import { MAX_ATOMIC_BYTES, standardError } from "./stderr.ts";

const SEVERITIES = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
} as const;

export type LogLevel = keyof typeof SEVERITIES;

/** The output of the log. */
export interface LogStream {
  write(line: string): unknown;
  /** Writes buffered lines now. */
  flush?(): void;
  /** Set by the log: whether other processes write to the same output. */
  isShared?: boolean;
  isTTY?: boolean;
}

export interface LogOptions {
  level: LogLevel;
  /** Those of features, beside those of the core. */
  events?: Partial<FeatureEvents>;
  /** The number of this worker; undefined in a single process. */
  worker?: number | undefined;
  /** Standard error when absent. */
  stream?: LogStream;
}

export function logTo({ level, events = {}, worker, stream = standardError }: LogOptions): Observe {
  const least = SEVERITIES[level];
  const kinds: Kinds = { ...EVENTS, ...events };
  const line = stream.isTTY === true ? readableLine(kinds, worker) : jsonLine(worker);
  stream.isShared = worker !== undefined;
  return (event) => {
    const severity = SEVERITIES[levelOf(event, kinds)];
    if (severity < least) return;
    const time = event.event === "request" ? event.time : Date.now();
    stream.write(line(redactedEvent(event), severity, time));
    // Requests are frequent and can wait. Any other event is rare, and may be the last one before a crash.
    if (event.event !== "request") stream.flush?.();
  };
}

/** There may be thousands of refused requests per second; an event of its own says how many. */
const levelOf = (event: Event, kinds: Kinds): LogLevel =>
  event.event === "request" && event.code === "overloaded" ? "debug" : kinds[event.event]!.level;

type Kinds = Readonly<Record<string, EventKind<unknown>>>;

type Line = (event: ShownEvent, severity: number, time: number) => string;

function jsonLine(worker: number | undefined): Line {
  const source = worker === undefined ? "" : `"worker":${worker},`;
  return (event, level, time) => {
    const start = `{"level":${level},"time":${time},${source}`;
    let line = `${start}${JSON.stringify(event).slice(1)}\n`;
    // Long texts are truncated so that the write is atomic and other workers cannot split the line.
    for (let length = 1024; isTooLong(line); length /= 2) {
      const cut = (_: string, value: unknown) =>
        typeof value === "string" && value.length > length ? `${value.slice(0, length)}…` : value;
      line = `${start}${JSON.stringify(event, cut).slice(1)}\n`;
    }
    return line;
  };
}

/** A character takes at most three bytes, so the bytes of most lines need not be counted. */
const isTooLong = (line: string): boolean =>
  line.length > MAX_ATOMIC_BYTES / 3 && Buffer.byteLength(line) > MAX_ATOMIC_BYTES;

function readableLine(kinds: Kinds, worker: number | undefined): Line {
  const source = worker === undefined ? "" : `worker ${worker}: `;
  return (event, _, time) => {
    const clock = new Date(time).toTimeString().slice(0, 8);
    return `${printable(`${clock} ${source}${sentence(event, kinds[event.event]!)}`)}\n`;
  };
}
