/** Events of the running service: what each carries, its log level, and for some what to do about it. */

/** What the log shows of a thrown value. */
export interface ErrorText {
  name: string;
  message: string;
  stack?: string;
}

type Level = "debug" | "info" | "warn" | "error";

export interface EventKind<Fields> {
  level: Level;
  /** What it means for the operator, shown on a terminal. */
  advice?: string | undefined;
  /** Only a type: what the event carries. */
  fields?: Fields;
}

const at =
  (level: Level) =>
  <Fields = object>(advice?: string): EventKind<Fields> => ({ level, advice });
export const [debug, info, warn, error] = [at("debug"), at("info"), at("warn"), at("error")];

export type OfShard = { shard: string };
export type Failed = { error: ErrorText };

export const EVENTS = {
  "shard-opened": info<OfShard & { location: string }>(),
  "shard-unavailable": error<OfShard & Failed>(),
  /** It was unavailable before. */
  "shard-available": info<OfShard>(),
  /** A listed shard that was served before had no file at the start, so that an empty one was created. */
  "shard-missing": error<OfShard & { location: string }>(
    "an empty one was created: stop the server, move it elsewhere, and put the file back or restore a backup",
  ),
  /** A file in the data folder has the name of a shard, but is none. */
  "file-ignored": warn<Failed>(),
  /** A stored record is damaged. Found by a request, which was answered with 503, or by the scheduled verify. */
  "damaged-data": error<OfShard & { requestId?: string; table: string; record: string | number }>(
    "run 'matchbook repair', or restore the shard from a backup",
  ),
  /** The scheduled verify of a shard has ended. With damage, nothing of the shard is served until a verify finds none. */
  "shard-verified": info<OfShard & { rows: number; milliseconds: number; damaged: number }>(),
  /** It is tried again an hour later. Without a shard: the thread that verifies failed. */
  "verify-failed": warn<Failed & Partial<OfShard>>(),
  /** When a shard was opened, its WAL was damaged, and SQLite ignores the commits that follow the damage. */
  "wal-damaged": error<OfShard & { commits: number }>(
    "the commits that follow the damage are lost: send the records of the last minutes before the crash again, then run 'matchbook verify'",
  ),
  /** What a verify, or the WAL, has shown cannot be stored with the shard: other processes do not learn it. */
  "finding-not-stored": error<OfShard & Failed & { verdict?: FoundDamage }>(
    "other processes do not learn it, nor does the server after a restart",
  ),
  /** Matches older than the retention of a shard were removed, and records that are not served. */
  "shard-pruned": info<
    OfShard & { before: number; served: number; withheld: number; milliseconds: number }
  >(),
  /** Entries of the list of redactions are damaged. The shard has what they stand for. */
  "redactions-damaged": warn<OfShard & { entries: number }>(
    "run 'matchbook redact SHARD', which replaces what is damaged by what the shard has",
  ),
  /** It is tried again a minute later. Without a shard: the thread that prunes them failed. */
  "shard-prune-failed": error<Failed & Partial<OfShard>>(),
  /** Derived tables of a shard are built from its records. What needs them responds 503 until they are complete. */
  "derived-building": info<OfShard & { tables: string[] }>(),
  "derived-built": info<OfShard & { matches: number; milliseconds: number }>(),
  /** It is tried again a minute later. Without a shard: the thread that builds failed. */
  "derived-build-failed": error<Failed & Partial<OfShard>>(),
  /** A replica is now used for reads, or no longer is. Replicas are numbered from 1, as in the settings. */
  "replica-included": info<OfShard & { replica: number }>(),
  "replica-excluded": warn<OfShard & { replica: number; why: string }>(),
  "keys-reloaded": info<{ live: number }>(),
  /** At startup. Requests with a key get 503 until the keys are loaded. */
  "keys-load-failed": error<Failed>(
    "requests with a key get 503 until they are loaded; this is retried",
  ),
  /** The keys loaded last remain valid until a reload succeeds. */
  "keys-reload-failed": error<Failed>("the keys loaded last remain valid; this is retried"),
  // Repeated every second until it recovers.
  "keys-reload-still-failing": debug<Failed>(),
  "keys-reload-recovered": info(),
  /** A key has a tier that is not in the settings. */
  "unknown-tier": warn<{ tier: string; taken: string }>(
    "keys with this tier use the limits of another",
  ),
  /** The settings close a shard that does not exist: yet to be created, or a typo. */
  "closed-shard-missing": warn<OfShard>(
    "check the spelling in closed-shards, unless the shard is yet to be created",
  ),
  /** Usage and quotas are counted in memory only, until they can be stored again. */
  "usage-write-failed": error<Failed>("counting continues in memory; this is retried"),
  "usage-write-still-failing": debug<Failed>(),
  "usage-write-recovered": info(),
  /** Without shared limits, every instance applies its own. */
  "shared-limits-unavailable": error<Failed>(
    "Redis is unavailable; this instance applies its own limits until it is back",
  ),
  "shared-limits-available": info(),
  /** A worker accepts requests. */
  "worker-ready": info<{ worker: number; pid: number }>(),
  /** A worker exited unexpectedly and is restarted after the delay. */
  "worker-exited": error<{ worker: number; pid: number; how: string; delayMs: number }>(),
  restarting: info<{ workers: number }>(),
  restarted: info<{ workers: number }>(),
  /** A new worker failed to start; the remaining old ones keep running. */
  "restart-failed": error<{ worker: number; how: string }>("the remaining workers keep running"),
  /** SIGHUP without workers to restart. */
  "reload-ignored": warn(
    "SIGHUP: there are no workers to restart; restart the server to apply new settings, or run it with two or more workers. API keys are reloaded automatically",
  ),
  listening: info<{ url: string }>(),
  /** File descriptors run short: no connections are accepted until some are closed. At most once a minute. */
  "descriptors-low": warn<{ open: number; limit: number }>(
    "new connections wait until some are closed; raise the limit (ulimit -n, LimitNOFILE) or find out who opens so many",
  ),
  /** Requests were refused because more arrive than can be worked on: so many since the last such event. Every ten seconds at most. */
  overloaded: warn<{ refused: number }>(
    "add workers or instances, or find the client that sends so many",
  ),
  "admin-listening": info<{ url: string }>(),
  /** The admin listener is reachable from other machines. */
  "admin-exposed": warn<{ url: string }>(
    "it is reachable from other machines: put it behind a firewall and keep its token secret",
  ),
  /** Every user of the machine can read the file with the admin token. */
  "admin-token-exposed": warn<{ file: string }>(
    "every user of this machine can read it: run chmod 600 on it",
  ),
  "admin-request": info<AdminRequest>(),
  upload: info<Upload>(),
  request: info<ShownRequest>(),
  failure: error<Failed & { requestId: string }>(),
  /** No code caught this error. The process shuts down. */
  "uncaught-error": error<Failed>("shutting down"),
  stopping: info<{ signal: string; inFlight: number }>(),
  stopped: info(),
};

/** Those of features, which add them to this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: it is extended in their folders.
export interface FeatureEvents {}

type Kinds = typeof EVENTS & FeatureEvents;

export type EventName = keyof Kinds;

type FieldsOf<Name extends EventName> =
  Kinds[Name] extends EventKind<infer Fields> ? Fields : never;

/** Errors are still what was thrown. */
type Thrown<Fields> = { [Field in keyof Fields]: Field extends "error" ? unknown : Fields[Field] };

/** An event as the log shows it. */
export type ShownEvent = { [Name in EventName]: { event: Name } & FieldsOf<Name> }[EventName];

export type Event =
  | { [N in Exclude<EventName, "request">]: { event: N } & Thrown<FieldsOf<N>> }[Exclude<
      EventName,
      "request"
    >]
  | RequestEvent;

/** What a verify has found, as stores know it. */
interface FoundDamage {
  at: number;
  damaged: number;
  damage: readonly { table: string; record: string; detail: string }[];
}

/** A request that was served. */
export interface RequestEvent {
  event: "request";
  requestId: string;
  method: string;
  /** Without the query string. */
  path: string;
  /** Still encoded. May contain player names, which the log hides by default. */
  query: string;
  /** The path pattern; undefined if no route matches. */
  route: string | undefined;
  /** The shard in the path, existing or not; empty if there is none. */
  shard: string;
  status: number;
  /** The code of the first error in an error response. */
  code: string | undefined;
  /** When the response was sent, in milliseconds since the epoch. */
  time: number;
  milliseconds: number;
  /** Undefined without a valid key. */
  keyId: string | undefined;
  tier: string | undefined;
  /** Match and player records in the body. */
  records: number;
}

type ShownRequest = Omit<
  RequestEvent,
  "event" | "query" | "route" | "shard" | "time" | "records"
> & {
  /** Undefined if there was none. */
  query: string | undefined;
};

/** A request to the admin listener. The route is that with this path, whatever the method. */
type AdminRequest = Pick<
  RequestEvent,
  "requestId" | "method" | "path" | "route" | "status" | "milliseconds"
>;

type UploadOutcome = "stored" | "withheld" | "duplicate" | "conflict" | "pruned" | "rejected";

/** The result of an upload. */
interface Upload extends Record<UploadOutcome, number> {
  requestId: string;
  /** As received. */
  bytes: number;
  /** Why it was aborted, if it was. */
  broken: string | undefined;
}

export type Observe = (event: Event) => void;

/** Calls several observers, in this order. */
export function observeAll(observers: readonly Observe[]): Observe {
  return (event) => {
    for (const observe of observers) observe(event);
  };
}

/** Drops repeated reports that a shard is unavailable, or still available, so that the log has one for each change. */
export function onlyChanges(observe: Observe): Observe {
  const reasons = new Map<string, string>();
  return (event) => {
    if (event.event === "shard-available" && !reasons.delete(event.shard)) return;
    if (event.event === "shard-unavailable") {
      const reason = event.error instanceof Error ? event.error.message : String(event.error);
      if (reasons.get(event.shard) === reason) return;
      reasons.set(event.shard, reason);
    }
    observe(event);
  };
}

/** For code that needs no log: most commands, most tests. */
export const unobserved: Observe = () => {};

/** An event as a line for a terminal: its name, its values, and what to do. */
export function sentence(event: ShownEvent, { advice }: EventKind<unknown>): string {
  const { event: name, ...values } = event;
  const { error, ...fields } = values as Partial<Failed>;
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => ` ${field}=${shownValue(value)}`);
  // Where it happened matters only for what is a bug.
  const isBug = name === "failure" || name === "uncaught-error";
  const details = [isBug ? (error?.stack ?? error?.message) : error?.message, advice]
    .filter((one) => one !== undefined)
    .join("; ");
  return name + shown.join("") + (details && `: ${details}`);
}

/** Texts without blanks as they are. */
const shownValue = (value: unknown): string =>
  typeof value === "string" && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
