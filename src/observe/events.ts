/** Events of the running service: what each carries, its log level, and its text on a terminal. */

/** Colours a text, unless colours are off. */
export type Paint = (colour: "green" | "cyan" | "yellow" | "red" | "dim", text: string) => string;

/** What the log shows of a thrown value. */
export interface ErrorText {
  name: string;
  message: string;
  stack?: string;
}

type Level = "debug" | "info" | "warn" | "error";

export interface EventKind<Fields> {
  level: Level;
  text: (event: Fields, paint: Paint) => string;
}

const at =
  (level: Level) =>
  <Fields = object>(text: EventKind<Fields>["text"]): EventKind<Fields> => ({ level, text });
export const [debug, info, warn, error] = [at("debug"), at("info"), at("warn"), at("error")];

export type OfShard = { shard: string };
export type Failed = { error: ErrorText };

export const EVENTS = {
  "shard-opened": info(
    (e: OfShard & { location: string }) => `opened shard ${e.shard} at ${e.location}`,
  ),
  /** A shard of an older format is being migrated, which takes time in proportion to its size. */
  "shard-migrating": warn(
    (e: OfShard & { from: number; to: number }) =>
      `migrating shard ${e.shard} from format ${e.from} to ${e.to}`,
  ),
  "shard-unavailable": error(
    (e: OfShard & Failed) => `shard ${e.shard} is unavailable: ${e.error.message}`,
  ),
  /** It was unavailable before. */
  "shard-available": info((e: OfShard) => `shard ${e.shard} is available again`),
  /** A listed shard that was served before had no file at the start, so that an empty one was created. */
  "shard-missing": error(
    (e: OfShard & { location: string }) =>
      `the file of shard ${e.shard} was missing, and an empty one was created: stop the server, move ${e.location} elsewhere, and put the file back or restore a backup`,
  ),
  /** A file in the data folder has the name of a shard, but is none. */
  "file-ignored": warn((e: Failed) => `ignored a file in the data folder: ${e.error.message}`),
  /** A stored record is damaged. Found by a request, which was answered with 503, or by the scheduled verify. */
  "damaged-data": error(
    (e: OfShard & { requestId?: string; table: string; record: string | number }) =>
      `shard ${e.shard} has damaged data: table ${e.table}, record ${e.record}; run 'matchbook repair', or restore the shard from a backup`,
  ),
  /** The scheduled verify of a shard has ended. With damage, nothing of the shard is served until a verify finds none. */
  "shard-verified": info(
    (e: OfShard & { rows: number; milliseconds: number; damaged: number }) =>
      `verified ${e.rows} rows of shard ${e.shard} in ${e.milliseconds} ms: ${e.damaged} damaged records`,
  ),
  /** It is tried again an hour later. Without a shard: the thread that verifies failed. */
  "verify-failed": warn(
    (e: Failed & Partial<OfShard>) => `cannot verify ${shardOrAll(e)}: ${e.error.message}`,
  ),
  /** When a shard was opened, its WAL was damaged, and SQLite ignores the commits that follow the damage. */
  "wal-damaged": error(
    (e: OfShard & { commits: number }) =>
      `the WAL of shard ${e.shard} was damaged, and ${e.commits} commits that follow the damage are lost: send the records of the last minutes before the crash again, then run 'matchbook verify ${e.shard}'`,
  ),
  /** What a verify, or the WAL, has shown cannot be stored with the shard: other processes do not learn it. */
  "finding-not-stored": error(
    (e: OfShard & Failed & { verdict?: FoundDamage }) =>
      `cannot store what was found in shard ${e.shard}; other processes do not learn it, nor does the server after a restart: ${e.error.message}`,
  ),
  /** Matches older than the retention of a shard were removed, and records that are not served. */
  "shard-pruned": info(
    (e: OfShard & { before: number; served: number; withheld: number; milliseconds: number }) =>
      `pruned shard ${e.shard}: removed ${e.served} served and ${e.withheld} withheld matches from before ${new Date(e.before).toISOString()} in ${e.milliseconds} ms`,
  ),
  /** Entries of the list of redactions are damaged. The shard has what they stand for. */
  "redactions-damaged": warn(
    (e: OfShard & { entries: number }) =>
      `${e.entries} damaged on the list of redactions: run 'matchbook redact ${e.shard}', which replaces what is damaged by what the shard has`,
  ),
  /** It is tried again a minute later. Without a shard: the thread that prunes them failed. */
  "shard-prune-failed": error(
    (e: Failed & Partial<OfShard>) => `cannot prune ${shardOrAll(e)}: ${e.error.message}`,
  ),
  /** Derived tables of a shard are built from its records. What needs them responds 503 until they are complete. */
  "derived-building": info(
    (e: OfShard & { tables: string[] }) =>
      `building ${e.tables.join(", ")} of shard ${e.shard} from its records`,
  ),
  "derived-built": info(
    (e: OfShard & { matches: number; milliseconds: number }) =>
      `built the derived tables of shard ${e.shard} from ${e.matches} matches in ${e.milliseconds} ms`,
  ),
  /** It is tried again a minute later. Without a shard: the thread that builds failed. */
  "derived-build-failed": error(
    (e: Failed & Partial<OfShard>) =>
      `cannot build the derived tables of ${shardOrAll(e)}: ${e.error.message}`,
  ),
  /** The database of a shard does not check its pages, so that damage to them may go unnoticed. */
  "data-checksums-off": warn(
    (e: OfShard) =>
      `the database of shard ${e.shard} has data_checksums off: damage to its files may go unnoticed; enable them with pg_checksums`,
  ),
  /** A replica is now used for reads, or no longer is. Replicas are numbered from 1, as in the settings. */
  "replica-included": info(
    (e: OfShard & { replica: number }) => `replica ${e.replica} of shard ${e.shard} is in use`,
  ),
  "replica-excluded": warn(
    (e: OfShard & { replica: number; why: string }) =>
      `replica ${e.replica} of shard ${e.shard} is not in use: ${e.why}`,
  ),
  "keys-reloaded": info((e: { live: number }) => `loaded API keys: ${e.live} active`),
  /** At startup. Requests with a key get 503 until the keys are loaded. */
  "keys-load-failed": error(
    (e: Failed) =>
      `cannot load API keys; requests with a key get 503 until they are loaded, and loading is retried: ${e.error.message}`,
  ),
  /** The keys loaded last remain valid until a reload succeeds. */
  "keys-reload-failed": error(
    (e: Failed) => `cannot reload API keys; the keys loaded last remain valid: ${e.error.message}`,
  ),
  // Repeated every second until it recovers.
  "keys-reload-still-failing": debug(
    (e: Failed) => `still cannot reload API keys: ${e.error.message}`,
  ),
  "keys-reload-recovered": info(() => "API keys can be loaded again"),
  /** A key has a tier that is not in the settings. */
  "unknown-tier": warn(
    (e: { tier: string; taken: string }) =>
      `unknown tier ${e.tier}: keys with this tier use the limits of ${e.taken}`,
  ),
  /** The settings close a shard that does not exist: yet to be created, or a typo. */
  "closed-shard-missing": warn(
    (e: OfShard) =>
      `closed-shards names an unknown shard: ${e.shard}; check the spelling, unless the shard is yet to be created`,
  ),
  /** Usage and quotas are counted in memory only, until they can be stored again. */
  "usage-write-failed": error(
    (e: Failed) =>
      `cannot store usage and quotas; counting continues in memory: ${e.error.message}`,
  ),
  "usage-write-still-failing": debug(
    (e: Failed) => `still cannot store usage and quotas: ${e.error.message}`,
  ),
  "usage-write-recovered": info(() => "usage and quotas are stored again"),
  /** Without shared limits, every instance applies its own. */
  "shared-limits-unavailable": error(
    (e: Failed) =>
      `Redis is unavailable; this instance applies its own limits until it is back: ${e.error.message}`,
  ),
  "shared-limits-available": info(() => "rate limits and quotas are shared through Redis"),
  /** A worker accepts requests. */
  "worker-ready": info(
    (e: { worker: number; pid: number }) => `worker ${e.worker} is ready (pid ${e.pid})`,
  ),
  /** A worker exited unexpectedly and is restarted after the delay. */
  "worker-exited": error(
    (e: { worker: number; pid: number; how: string; delayMs: number }) =>
      `worker ${e.worker} (pid ${e.pid}) exited with ${e.how}; restarting it ${e.delayMs === 0 ? "now" : `in ${e.delayMs / 1000} s`}`,
  ),
  restarting: info((e: { workers: number }) => `restarting ${e.workers} workers, one at a time`),
  restarted: info((e: { workers: number }) => `restarted ${e.workers} workers`),
  /** A new worker failed to start; the remaining old ones keep running. */
  "restart-failed": error(
    (e: { worker: number; how: string }) =>
      `restart failed; the remaining workers keep running: the new worker ${e.worker} exited with ${e.how}`,
  ),
  /** SIGHUP without workers to restart. */
  "reload-ignored": warn(
    () =>
      "SIGHUP ignored: there are no workers to restart; restart the server to apply new settings, or run it with two or more workers. API keys are reloaded automatically",
  ),
  listening: info((e: { url: string }) => `listening on ${e.url}`),
  /** File descriptors run short: no connections are accepted until some are closed. At most once a minute. */
  "descriptors-low": warn(
    (e: { open: number; limit: number }) =>
      `${e.open} of ${e.limit} file descriptors are open: new connections wait until some are closed; raise the limit (ulimit -n, LimitNOFILE) or find out who opens so many`,
  ),
  /** Requests were refused because more arrive than can be worked on: so many since the last such event. Every ten seconds at most. */
  overloaded: warn(
    (e: { refused: number }) =>
      `more requests arrive than can be handled; ${e.refused} refused since the last such message: add workers or instances, or find the client that sends so many`,
  ),
  "admin-listening": info((e: { url: string }) => `admin listener on ${e.url}`),
  /** The admin listener is reachable from other machines. */
  "admin-exposed": warn(
    (e: { url: string }) =>
      `the admin listener ${e.url} is reachable from other machines; put it behind a firewall and keep its token secret`,
  ),
  /** Every user of the machine can read the file with the admin token. */
  "admin-token-exposed": warn(
    (e: { file: string }) =>
      `every user of this machine can read the admin token in ${e.file}; run chmod 600 on it`,
  ),
  "admin-request": info(adminSentence),
  upload: info(uploadSentence),
  request: info(requestSentence),
  failure: error(
    (e: Failed & { requestId: string }) =>
      `request ${e.requestId} failed: ${e.error.stack ?? e.error.message}`,
  ),
  /** No code caught this error. The process shuts down. */
  "uncaught-error": error(
    (e: Failed) =>
      `shutting down because of an uncaught error: ${e.error.stack ?? e.error.message}`,
  ),
  /** The buffer of the log was full because nothing read the log. There is room again. */
  "log-lines-dropped": warn(
    (e: { lines: number }) =>
      `${e.lines} log lines were dropped because the log was not read in time`,
  ),
  stopping: info(
    (e: { signal: string; inFlight: number }) =>
      `${e.signal}: stopping, ${e.inFlight} requests in flight`,
  ),
  stopped: info(() => "stopped"),
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
  status: number;
  /** The code of the first error in an error response. */
  code: string | undefined;
  /** When the response was sent, in milliseconds since the epoch. */
  time: number;
  milliseconds: number;
  /** Milliseconds by stage, 0 for those not reached; undefined if the stages of this request were not timed. */
  stages: readonly number[] | undefined;
  /** Undefined without a valid key. */
  keyId: string | undefined;
  tier: string | undefined;
  /** Match and player records in the body. */
  records: number;
}

type ShownRequest = Omit<
  RequestEvent,
  "event" | "query" | "route" | "time" | "stages" | "records"
> & {
  /** Undefined if there was none. */
  query: string | undefined;
};

/** A request to the admin listener. */
interface AdminRequest {
  requestId: string;
  method: string;
  /** Without the query string. */
  path: string;
  /** The route with this path, whatever the method; undefined if there is none. */
  route: string | undefined;
  status: number;
  milliseconds: number;
}

/** The result of an upload. */
interface Upload {
  requestId: string;
  /** As received. */
  bytes: number;
  stored: number;
  withheld: number;
  duplicate: number;
  conflict: number;
  pruned: number;
  rejected: number;
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

const HEADS: Partial<Record<Level, "yellow" | "red">> = { warn: "yellow", error: "red" };

/** The text of an event on a terminal. What needs attention is coloured up to its first colon or semicolon. */
export function sentence(
  event: ShownEvent,
  { level, text }: EventKind<ShownEvent>,
  paint: Paint,
): string {
  const line = text(event, paint);
  const colour = HEADS[level];
  return colour ? line.replace(/^[^:;]*/, (head) => paint(colour, head)) : line;
}

export function shardOrAll({ shard }: Partial<OfShard>): string {
  return shard === undefined ? "the shards" : `shard ${shard}`;
}

function uploadSentence(event: Upload, paint: Paint): string {
  const { stored, withheld, duplicate, conflict, pruned, rejected } = event;
  const { broken, bytes, requestId } = event;
  const counts = `${stored} stored, ${withheld} withheld, ${duplicate} duplicates, ${conflict} conflicts, ${pruned} pruned, ${rejected} rejected`;
  const end = broken === undefined ? "" : ` ${paint("yellow", `aborted: ${broken}`)}`;
  return `upload: ${counts}${end} ${paint("dim", `${bytes} bytes, ${requestId}`)}`;
}

function adminSentence(event: AdminRequest, paint: Paint): string {
  const { method, path, status, milliseconds, requestId } = event;
  const details = paint("dim", `${milliseconds.toFixed(1)} ms, admin, ${requestId}`);
  return `${method} ${path} ${paint(colourOf(status), String(status))} ${details}`;
}

function requestSentence(event: ShownRequest, paint: Paint): string {
  const { method, path, query, status, code, milliseconds, keyId, tier, requestId } = event;
  const url = query === undefined ? path : `${path}?${query}`;
  const outcome = paint(
    colourOf(status),
    code === undefined ? String(status) : `${status} ${code}`,
  );
  const caller = keyId === undefined ? "no key" : `${keyId} (${tier})`;
  const details = paint("dim", `${milliseconds.toFixed(1)} ms, ${caller}, ${requestId}`);
  return `${method} ${url} ${outcome} ${details}`;
}

function colourOf(status: number): "red" | "yellow" | "cyan" | "green" {
  return status >= 500 ? "red" : status >= 400 ? "yellow" : status >= 300 ? "cyan" : "green";
}
