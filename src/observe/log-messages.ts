/** The level of each event, and the sentence that a terminal shows for it. */

import type { EventName } from "./events.ts";
import type { ShownEvent } from "./redact.ts";

export const LEVELS = {
  "shard-opened": "info",
  "shard-unavailable": "error",
  "replica-included": "info",
  "replica-excluded": "warn",
  "keys-reloaded": "info",
  "keys-reload-failed": "error",
  // Once a second, for as long as it lasts.
  "keys-reload-still-failing": "debug",
  "keys-reload-recovered": "info",
  "unknown-tier": "warn",
  "closed-shard-missing": "warn",
  "usage-write-failed": "error",
  "usage-write-still-failing": "debug",
  "usage-write-recovered": "info",
  "shared-limits-unavailable": "error",
  "shared-limits-available": "info",
  "worker-ready": "info",
  "worker-exited": "error",
  restarting: "info",
  restarted: "info",
  "restart-failed": "error",
  "reload-ignored": "warn",
  listening: "info",
  "admin-listening": "info",
  "admin-exposed": "warn",
  "admin-token-exposed": "warn",
  "admin-request": "info",
  upload: "info",
  request: "info",
  failure: "error",
  "log-lines-dropped": "warn",
  stopping: "info",
  stopped: "info",
} as const satisfies Record<EventName, "debug" | "info" | "warn" | "error">;

/** Wraps a text in a colour, or does not. */
export type Paint = (colour: "green" | "cyan" | "yellow" | "red" | "dim", text: string) => string;

export function sentence(event: ShownEvent, paint: Paint): string {
  switch (event.event) {
    case "shard-opened":
      return `shard ${event.shard} opened at ${event.location}`;
    case "shard-unavailable":
      return `${paint("red", `shard ${event.shard} cannot be read`)}: ${event.error.message}`;
    case "replica-included":
      return `replica ${event.replica} of shard ${event.shard} is read from`;
    case "replica-excluded":
      return `${paint("yellow", `replica ${event.replica} of shard ${event.shard} is not read from`)}: ${event.why}`;
    case "keys-reloaded":
      return `API keys read: ${event.live} live`;
    case "keys-reload-failed":
      return `${paint("red", "API keys cannot be read, the last ones still count")}: ${event.error.message}`;
    case "keys-reload-still-failing":
      return `API keys still cannot be read: ${event.error.message}`;
    case "keys-reload-recovered":
      return "API keys can be read again";
    case "unknown-tier":
      return `${paint("yellow", `no tier is called ${event.tier}`)}: keys that name it count as ${event.taken}`;
    case "closed-shard-missing":
      return `${paint("yellow", `closed-shards names ${event.shard}, and there is no such shard`)}: check the name, unless it is still to come`;
    case "usage-write-failed":
      return `${paint("red", "usage and budgets cannot be written down, they are still counted")}: ${event.error.message}`;
    case "usage-write-still-failing":
      return `usage and budgets still cannot be written down: ${event.error.message}`;
    case "usage-write-recovered":
      return "usage and budgets are written down again";
    case "shared-limits-unavailable":
      return `${paint("red", "limits are not shared, this instance goes on with its own: Redis cannot be used")}: ${event.error.message}`;
    case "shared-limits-available":
      return "limits are shared through Redis";
    case "worker-ready":
      return `worker ${event.worker} serves, process ${event.pid}`;
    case "worker-exited":
      return `${paint("red", `worker ${event.worker} is lost`)}: process ${event.pid} ended with ${event.how}; another begins ${event.delayMs === 0 ? "now" : `in ${event.delayMs / 1000} s`}`;
    case "restarting":
      return `${event.workers} workers are replaced, one after another`;
    case "restarted":
      return `${event.workers} workers were replaced`;
    case "restart-failed":
      return `${paint("red", "no worker is replaced any more, the old ones go on")}: a new worker ${event.worker} ended with ${event.how}`;
    case "reload-ignored":
      return `${paint("yellow", "SIGHUP: nothing is read anew without workers")}: restart the server to use new settings, or give it two workers or more; keys are noticed by themselves`;
    case "admin-listening":
      return `private listener on ${event.url}`;
    case "admin-exposed":
      return `${paint("yellow", `the private listener ${event.url} can be reached from other machines`)}: keep it behind a firewall, and its token secret`;
    case "admin-token-exposed":
      return `${paint("yellow", `every user of this machine can read the private listener's token in ${event.file}`)}: chmod 600 it`;
    case "admin-request":
      return adminSentence(event, paint);
    case "upload":
      return uploadSentence(event, paint);
    case "listening":
      return `listening on ${event.url}`;
    case "request":
      return requestSentence(event, paint);
    case "failure":
      return `${paint("red", `request ${event.requestId} failed`)}: ${event.error.stack ?? event.error.message}`;
    case "log-lines-dropped":
      return paint("yellow", `${event.lines} log lines were dropped: the log was not read in time`);
    case "stopping":
      return `${event.signal}: stopping, ${event.inFlight} requests in flight`;
    case "stopped":
      return "stopped";
  }
}

function uploadSentence(event: Extract<ShownEvent, { event: "upload" }>, paint: Paint): string {
  const { stored, withheld, duplicate, conflict, rejected, broken, bytes, requestId } = event;
  const counts = `${stored} stored, ${withheld} withheld, ${duplicate} known, ${conflict} in conflict, ${rejected} rejected`;
  const end = broken === undefined ? "" : ` ${paint("yellow", `broke off: ${broken}`)}`;
  return `upload: ${counts}${end} ${paint("dim", `${bytes} bytes, ${requestId}`)}`;
}

function adminSentence(
  {
    method,
    path,
    status,
    milliseconds,
    requestId,
  }: Extract<ShownEvent, { event: "admin-request" }>,
  paint: Paint,
): string {
  const details = paint("dim", `${milliseconds.toFixed(1)} ms, private, ${requestId}`);
  return `${method} ${path} ${paint(colourOf(status), String(status))} ${details}`;
}

function requestSentence(event: Extract<ShownEvent, { event: "request" }>, paint: Paint): string {
  const { method, path, query, status, code, milliseconds, keyId, tier, requestId } = event;
  const address = query === undefined ? path : `${path}?${query}`;
  const outcome = paint(
    colourOf(status),
    code === undefined ? String(status) : `${status} ${code}`,
  );
  const caller = keyId === undefined ? "no key" : `${keyId} (${tier})`;
  const details = paint("dim", `${milliseconds.toFixed(1)} ms, ${caller}, ${requestId}`);
  return `${method} ${address} ${outcome} ${details}`;
}

function colourOf(status: number): "red" | "yellow" | "cyan" | "green" {
  return status >= 500 ? "red" : status >= 400 ? "yellow" : status >= 300 ? "cyan" : "green";
}
