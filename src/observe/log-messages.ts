/** The log level of each event, and its message on a terminal. */

import type { CoreEvent, EventName } from "./events.ts";
import type { ShownEvent } from "./redact.ts";

/** Colours a text, unless colours are off. */
export type Paint = (colour: "green" | "cyan" | "yellow" | "red" | "dim", text: string) => string;

type Shown<K extends EventName> = Extract<ShownEvent, { event: K }>;
type Text<K extends EventName> = (event: Shown<K>, paint: Paint) => string;
type Level = "debug" | "info" | "warn" | "error";

const at =
  (level: Level) =>
  <K extends EventName>(text: Text<K>) => ({ level, text });
export const [debug, info, warn, error] = [at("debug"), at("info"), at("warn"), at("error")];

export type EventTexts = { [K in EventName]: { level: Level; text: Text<K> } };

/** Those of features are in their folders. */
export const EVENTS: Pick<EventTexts, CoreEvent["event"]> = {
  "shard-opened": info((e) => `opened shard ${e.shard} at ${e.location}`),
  "shard-migrating": warn((e, paint) =>
    paint("yellow", `migrating shard ${e.shard} from format ${e.from} to ${e.to}`),
  ),
  "shard-unavailable": error(
    (e, paint) => `${paint("red", `shard ${e.shard} is unavailable`)}: ${e.error.message}`,
  ),
  "shard-available": info((e) => `shard ${e.shard} is available again`),
  "shard-missing": error(
    (e, paint) =>
      `${paint("red", `the file of shard ${e.shard} was missing, and an empty one was created`)}: stop the server, move ${e.location} elsewhere, and put the file back or restore a backup`,
  ),
  "file-ignored": warn(
    (e, paint) => `${paint("yellow", "ignored a file in the data folder")}: ${e.error.message}`,
  ),
  "damaged-data": error(
    (e, paint) =>
      `${paint("red", `shard ${e.shard} has damaged data`)}: table ${e.table}, record ${e.record}; run 'matchbook repair', or restore the shard from a backup`,
  ),
  "shard-verified": info(
    (e) =>
      `verified ${e.rows} rows of shard ${e.shard} in ${e.milliseconds} ms: ${e.damaged} damaged records`,
  ),
  "verify-failed": warn(
    (e, paint) =>
      `${paint("yellow", `cannot verify ${e.shard === undefined ? "the shards" : `shard ${e.shard}`}`)}: ${e.error.message}`,
  ),
  "wal-damaged": error(
    (e, paint) =>
      `${paint("red", `the WAL of shard ${e.shard} was damaged, and ${e.commits} commits that follow the damage are lost`)}: send the records of the last minutes before the crash again, then run 'matchbook verify ${e.shard}'`,
  ),
  "finding-not-stored": error(
    (e, paint) =>
      `${paint("red", `cannot store what was found in shard ${e.shard}; other processes do not learn it, nor does the server after a restart`)}: ${e.error.message}`,
  ),
  "redactions-damaged": warn(
    (e, paint) =>
      `${paint("yellow", `${e.entries} damaged on the list of redactions`)}: run 'matchbook redact ${e.shard}', which replaces what is damaged by what the shard has`,
  ),
  "shard-pruned": info(
    (e) =>
      `pruned shard ${e.shard}: removed ${e.served} served and ${e.withheld} withheld matches from before ${new Date(e.before).toISOString()} in ${e.milliseconds} ms`,
  ),
  "shard-prune-failed": error(
    (e, paint) =>
      `${paint("red", `cannot prune ${e.shard === undefined ? "the shards" : `shard ${e.shard}`}`)}: ${e.error.message}`,
  ),
  "derived-building": info(
    (e) => `building ${e.tables.join(", ")} of shard ${e.shard} from its records`,
  ),
  "derived-built": info(
    (e) =>
      `built the derived tables of shard ${e.shard} from ${e.matches} matches in ${e.milliseconds} ms`,
  ),
  "derived-build-failed": error(
    (e, paint) =>
      `${paint("red", `cannot build the derived tables${e.shard === undefined ? "" : ` of shard ${e.shard}`}`)}: ${e.error.message}`,
  ),
  "data-checksums-off": warn(
    (e, paint) =>
      `${paint("yellow", `the database of shard ${e.shard} has data_checksums off`)}: damage to its files may go unnoticed; enable them with pg_checksums`,
  ),
  "replica-included": info((e) => `replica ${e.replica} of shard ${e.shard} is in use`),
  "replica-excluded": warn(
    (e, paint) =>
      `${paint("yellow", `replica ${e.replica} of shard ${e.shard} is not in use`)}: ${e.why}`,
  ),
  "keys-reloaded": info((e) => `loaded API keys: ${e.live} active`),
  "keys-load-failed": error(
    (e, paint) =>
      `${paint("red", "cannot load API keys; requests with a key get 503 until they are loaded, and loading is retried")}: ${e.error.message}`,
  ),
  "keys-reload-failed": error(
    (e, paint) =>
      `${paint("red", "cannot reload API keys; the keys loaded last remain valid")}: ${e.error.message}`,
  ),
  // Repeated every second until it recovers.
  "keys-reload-still-failing": debug((e) => `still cannot reload API keys: ${e.error.message}`),
  "keys-reload-recovered": info(() => "API keys can be loaded again"),
  "unknown-tier": warn(
    (e, paint) =>
      `${paint("yellow", `unknown tier ${e.tier}`)}: keys with this tier use the limits of ${e.taken}`,
  ),
  "closed-shard-missing": warn(
    (e, paint) =>
      `${paint("yellow", `closed-shards names an unknown shard: ${e.shard}`)}; check the spelling, unless the shard is yet to be created`,
  ),
  "usage-write-failed": error(
    (e, paint) =>
      `${paint("red", "cannot store usage and quotas; counting continues in memory")}: ${e.error.message}`,
  ),
  "usage-write-still-failing": debug(
    (e) => `still cannot store usage and quotas: ${e.error.message}`,
  ),
  "usage-write-recovered": info(() => "usage and quotas are stored again"),
  "shared-limits-unavailable": error(
    (e, paint) =>
      `${paint("red", "Redis is unavailable; this instance applies its own limits until it is back")}: ${e.error.message}`,
  ),
  "shared-limits-available": info(() => "rate limits and quotas are shared through Redis"),
  "worker-ready": info((e) => `worker ${e.worker} is ready (pid ${e.pid})`),
  "worker-exited": error(
    (e, paint) =>
      `${paint("red", `worker ${e.worker} (pid ${e.pid}) exited with ${e.how}`)}; restarting it ${e.delayMs === 0 ? "now" : `in ${e.delayMs / 1000} s`}`,
  ),
  restarting: info((e) => `restarting ${e.workers} workers, one at a time`),
  restarted: info((e) => `restarted ${e.workers} workers`),
  "restart-failed": error(
    (e, paint) =>
      `${paint("red", "restart failed; the remaining workers keep running")}: the new worker ${e.worker} exited with ${e.how}`,
  ),
  "reload-ignored": warn(
    (_, paint) =>
      `${paint("yellow", "SIGHUP ignored: there are no workers to restart")}; restart the server to apply new settings, or run it with two or more workers. API keys are reloaded automatically`,
  ),
  listening: info((e) => `listening on ${e.url}`),
  "descriptors-low": warn(
    (e, paint) =>
      `${paint("yellow", `${e.open} of ${e.limit} file descriptors are open`)}: new connections wait until some are closed; raise the limit (ulimit -n, LimitNOFILE) or find out who opens so many`,
  ),
  overloaded: warn(
    (e, paint) =>
      `${paint("yellow", `more requests arrive than can be handled; ${e.refused} refused since the last such message`)}: add workers or instances, or find the client that sends so many`,
  ),
  "admin-listening": info((e) => `admin listener on ${e.url}`),
  "admin-exposed": warn(
    (e, paint) =>
      `${paint("yellow", `the admin listener ${e.url} is reachable from other machines`)}; put it behind a firewall and keep its token secret`,
  ),
  "admin-token-exposed": warn(
    (e, paint) =>
      `${paint("yellow", `every user of this machine can read the admin token in ${e.file}`)}; run chmod 600 on it`,
  ),
  "admin-request": info(adminSentence),
  upload: info(uploadSentence),
  request: info(requestSentence),
  failure: error(
    (e, paint) =>
      `${paint("red", `request ${e.requestId} failed`)}: ${e.error.stack ?? e.error.message}`,
  ),
  "uncaught-error": error(
    (e, paint) =>
      `${paint("red", "shutting down because of an uncaught error")}: ${e.error.stack ?? e.error.message}`,
  ),
  "log-lines-dropped": warn((e, paint) =>
    paint("yellow", `${e.lines} log lines were dropped because the log was not read in time`),
  ),
  stopping: info((e) => `${e.signal}: stopping, ${e.inFlight} requests in flight`),
  stopped: info(() => "stopped"),
};

function uploadSentence(event: Shown<"upload">, paint: Paint): string {
  const { stored, withheld, duplicate, conflict, pruned, rejected } = event;
  const { broken, bytes, requestId } = event;
  const counts = `${stored} stored, ${withheld} withheld, ${duplicate} duplicates, ${conflict} conflicts, ${pruned} pruned, ${rejected} rejected`;
  const end = broken === undefined ? "" : ` ${paint("yellow", `aborted: ${broken}`)}`;
  return `upload: ${counts}${end} ${paint("dim", `${bytes} bytes, ${requestId}`)}`;
}

function adminSentence(event: Shown<"admin-request">, paint: Paint): string {
  const { method, path, status, milliseconds, requestId } = event;
  const details = paint("dim", `${milliseconds.toFixed(1)} ms, admin, ${requestId}`);
  return `${method} ${path} ${paint(colourOf(status), String(status))} ${details}`;
}

function requestSentence(event: Shown<"request">, paint: Paint): string {
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
