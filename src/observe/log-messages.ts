/** The log level of each event, and its message on a terminal. */

import type { EventName } from "./events.ts";
import type { ShownEvent } from "./redact.ts";

export const LEVELS = {
  "shard-opened": "info",
  "shard-migrating": "warn",
  "shard-unavailable": "error",
  "shard-available": "info",
  "shard-missing": "error",
  "file-ignored": "warn",
  "damaged-data": "error",
  "shard-verified": "info",
  "verify-failed": "warn",
  "wal-damaged": "error",
  "finding-not-stored": "error",
  "redactions-damaged": "warn",
  "shard-pruned": "info",
  "shard-prune-failed": "error",
  "derived-building": "info",
  "derived-built": "info",
  "derived-build-failed": "error",
  "data-checksums-off": "warn",
  "replica-included": "info",
  "replica-excluded": "warn",
  "keys-reloaded": "info",
  "keys-load-failed": "error",
  "keys-reload-failed": "error",
  // Repeated every second until it recovers.
  "keys-reload-still-failing": "debug",
  "keys-reload-recovered": "info",
  "unknown-tier": "warn",
  "closed-shard-missing": "warn",
  "usage-write-failed": "error",
  "usage-write-still-failing": "debug",
  "usage-write-recovered": "info",
  "shared-limits-unavailable": "error",
  "shared-limits-available": "info",
  "hook-delivered": "debug",
  "hook-failed": "warn",
  "hook-paused": "error",
  "hook-gap": "warn",
  "hooks-stalled": "error",
  "worker-ready": "info",
  "worker-exited": "error",
  restarting: "info",
  restarted: "info",
  "restart-failed": "error",
  "reload-ignored": "warn",
  listening: "info",
  "descriptors-low": "warn",
  overloaded: "warn",
  "admin-listening": "info",
  "admin-exposed": "warn",
  "admin-token-exposed": "warn",
  "admin-request": "info",
  upload: "info",
  request: "info",
  "stream-ended": "info",
  "changes-unreadable": "error",
  failure: "error",
  "uncaught-error": "error",
  "log-lines-dropped": "warn",
  stopping: "info",
  stopped: "info",
} as const satisfies Record<EventName, "debug" | "info" | "warn" | "error">;

/** Colours a text, unless colours are off. */
export type Paint = (colour: "green" | "cyan" | "yellow" | "red" | "dim", text: string) => string;

export function sentence(event: ShownEvent, paint: Paint): string {
  switch (event.event) {
    case "shard-opened":
      return `opened shard ${event.shard} at ${event.location}`;
    case "shard-migrating":
      return `${paint("yellow", `migrating shard ${event.shard} from format ${event.from} to ${event.to}`)}`;
    case "shard-unavailable":
      return `${paint("red", `shard ${event.shard} is unavailable`)}: ${event.error.message}`;
    case "shard-available":
      return `shard ${event.shard} is available again`;
    case "shard-missing":
      return `${paint("red", `the file of shard ${event.shard} was missing, and an empty one was created`)}: stop the server, move ${event.location} elsewhere, and put the file back or restore a backup`;
    case "file-ignored":
      return `${paint("yellow", "ignored a file in the data folder")}: ${event.error.message}`;
    case "damaged-data":
      return `${paint("red", `shard ${event.shard} has damaged data`)}: table ${event.table}, record ${event.record}; run 'matchbook repair', or restore the shard from a backup`;
    case "shard-verified":
      return `verified ${event.rows} rows of shard ${event.shard} in ${event.milliseconds} ms: ${event.damaged} damaged records`;
    case "verify-failed":
      return `${paint("yellow", `cannot verify ${event.shard === undefined ? "the shards" : `shard ${event.shard}`}`)}: ${event.error.message}`;
    case "wal-damaged":
      return `${paint("red", `the WAL of shard ${event.shard} was damaged, and ${event.commits} commits that follow the damage are lost`)}: send the records of the last minutes before the crash again, then run 'matchbook verify ${event.shard}'`;
    case "finding-not-stored":
      return `${paint("red", `cannot store what was found in shard ${event.shard}; other processes do not learn it, nor does the server after a restart`)}: ${event.error.message}`;
    case "redactions-damaged":
      return `${paint("yellow", `${event.entries} damaged on the list of redactions`)}: run 'matchbook redact ${event.shard}', which replaces what is damaged by what the shard has`;
    case "shard-pruned":
      return `pruned shard ${event.shard}: removed ${event.served} served and ${event.withheld} withheld matches from before ${new Date(event.before).toISOString()} in ${event.milliseconds} ms`;
    case "shard-prune-failed":
      return `${paint("red", `cannot prune ${event.shard === undefined ? "the shards" : `shard ${event.shard}`}`)}: ${event.error.message}`;
    case "derived-building":
      return `building ${event.tables.join(", ")} of shard ${event.shard} from its records`;
    case "derived-built":
      return `built the derived tables of shard ${event.shard} from ${event.matches} matches in ${event.milliseconds} ms`;
    case "derived-build-failed":
      return `${paint("red", `cannot build the derived tables${event.shard === undefined ? "" : ` of shard ${event.shard}`}`)}: ${event.error.message}`;
    case "data-checksums-off":
      return `${paint("yellow", `the database of shard ${event.shard} has data_checksums off`)}: damage to its files may go unnoticed; enable them with pg_checksums`;
    case "replica-included":
      return `replica ${event.replica} of shard ${event.shard} is in use`;
    case "replica-excluded":
      return `${paint("yellow", `replica ${event.replica} of shard ${event.shard} is not in use`)}: ${event.why}`;
    case "keys-reloaded":
      return `loaded API keys: ${event.live} active`;
    case "keys-load-failed":
      return `${paint("red", "cannot load API keys; requests with a key get 503 until they are loaded, and loading is retried")}: ${event.error.message}`;
    case "keys-reload-failed":
      return `${paint("red", "cannot reload API keys; the keys loaded last remain valid")}: ${event.error.message}`;
    case "keys-reload-still-failing":
      return `still cannot reload API keys: ${event.error.message}`;
    case "keys-reload-recovered":
      return "API keys can be loaded again";
    case "unknown-tier":
      return `${paint("yellow", `unknown tier ${event.tier}`)}: keys with this tier use the limits of ${event.taken}`;
    case "closed-shard-missing":
      return `${paint("yellow", `closed-shards names an unknown shard: ${event.shard}`)}; check the spelling, unless the shard is yet to be created`;
    case "usage-write-failed":
      return `${paint("red", "cannot store usage and quotas; counting continues in memory")}: ${event.error.message}`;
    case "usage-write-still-failing":
      return `still cannot store usage and quotas: ${event.error.message}`;
    case "usage-write-recovered":
      return "usage and quotas are stored again";
    case "shared-limits-unavailable":
      return `${paint("red", "Redis is unavailable; this instance applies its own limits until it is back")}: ${event.error.message}`;
    case "shared-limits-available":
      return "rate limits and quotas are shared through Redis";
    case "hook-delivered":
      return `delivered ${event.changes} changes of shard ${event.shard} to hook ${event.hook} in ${event.milliseconds} ms`;
    case "hook-failed":
      return `${paint("yellow", `cannot deliver changes of shard ${event.shard} to hook ${event.hook}`)} (attempt ${event.attempts}): ${event.reason}`;
    case "hook-paused":
      return `${paint("red", `hook ${event.hook} is paused`)}, after changes of shard ${event.shard} could not be delivered: ${event.reason}; run 'matchbook hooks resume ${event.hook}' when its receiver works`;
    case "hook-gap":
      return `${paint("yellow", `changes of shard ${event.shard} for hook ${event.hook} are not in the log any more`)}; the next delivery reports the gap`;
    case "hooks-stalled":
      return `${paint("red", event.shard === undefined ? "cannot deliver to hooks" : `cannot deliver changes of shard ${event.shard} to hooks`)}: ${event.error.message}`;
    case "worker-ready":
      return `worker ${event.worker} is ready (pid ${event.pid})`;
    case "worker-exited":
      return `${paint("red", `worker ${event.worker} (pid ${event.pid}) exited with ${event.how}`)}; restarting it ${event.delayMs === 0 ? "now" : `in ${event.delayMs / 1000} s`}`;
    case "restarting":
      return `restarting ${event.workers} workers, one at a time`;
    case "restarted":
      return `restarted ${event.workers} workers`;
    case "restart-failed":
      return `${paint("red", "restart failed; the remaining workers keep running")}: the new worker ${event.worker} exited with ${event.how}`;
    case "reload-ignored":
      return `${paint("yellow", "SIGHUP ignored: there are no workers to restart")}; restart the server to apply new settings, or run it with two or more workers. API keys are reloaded automatically`;
    case "admin-listening":
      return `admin listener on ${event.url}`;
    case "admin-exposed":
      return `${paint("yellow", `the admin listener ${event.url} is reachable from other machines`)}; put it behind a firewall and keep its token secret`;
    case "admin-token-exposed":
      return `${paint("yellow", `every user of this machine can read the admin token in ${event.file}`)}; run chmod 600 on it`;
    case "admin-request":
      return adminSentence(event, paint);
    case "upload":
      return uploadSentence(event, paint);
    case "listening":
      return `listening on ${event.url}`;
    case "descriptors-low":
      return `${paint("yellow", `${event.open} of ${event.limit} file descriptors are open`)}: new connections wait until some are closed; raise the limit (ulimit -n, LimitNOFILE) or find out who opens so many`;
    case "overloaded":
      return `${paint("yellow", `more requests arrive than can be handled; ${event.refused} refused since the last such message`)}: add workers or instances, or find the client that sends so many`;
    case "request":
      return requestSentence(event, paint);
    case "stream-ended":
      return `stream of shard ${event.shard} ended: ${event.why} ${paint("dim", `${event.changes} changes in ${event.seconds} s, ${event.keyId}`)}`;
    case "changes-unreadable":
      return `${paint("red", `cannot read the changes of shard ${event.shard}; streams of them are ended`)}: ${event.error.message}`;
    case "failure":
      return `${paint("red", `request ${event.requestId} failed`)}: ${event.error.stack ?? event.error.message}`;
    case "uncaught-error":
      return `${paint("red", "shutting down because of an uncaught error")}: ${event.error.stack ?? event.error.message}`;
    case "log-lines-dropped":
      return paint(
        "yellow",
        `${event.lines} log lines were dropped because the log was not read in time`,
      );
    case "stopping":
      return `${event.signal}: stopping, ${event.inFlight} requests in flight`;
    case "stopped":
      return "stopped";
  }
}

function uploadSentence(event: Extract<ShownEvent, { event: "upload" }>, paint: Paint): string {
  const { stored, withheld, duplicate, conflict, pruned, rejected } = event;
  const { broken, bytes, requestId } = event;
  const counts = `${stored} stored, ${withheld} withheld, ${duplicate} duplicates, ${conflict} conflicts, ${pruned} pruned, ${rejected} rejected`;
  const end = broken === undefined ? "" : ` ${paint("yellow", `aborted: ${broken}`)}`;
  return `upload: ${counts}${end} ${paint("dim", `${bytes} bytes, ${requestId}`)}`;
}

function adminSentence(
  event: Extract<ShownEvent, { event: "admin-request" }>,
  paint: Paint,
): string {
  const { method, path, status, milliseconds, requestId } = event;
  const details = paint("dim", `${milliseconds.toFixed(1)} ms, admin, ${requestId}`);
  return `${method} ${path} ${paint(colourOf(status), String(status))} ${details}`;
}

function requestSentence(event: Extract<ShownEvent, { event: "request" }>, paint: Paint): string {
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
