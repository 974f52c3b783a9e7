/** In charge of each event's level and of the words that a person reads about it. */

import type { EventName } from "./events.ts";
import type { ShownEvent } from "./present.ts";

export const LEVELS = {
  "shard-opened": "info",
  "shard-unavailable": "error",
  "keys-reloaded": "info",
  "keys-unreadable": "error",
  listening: "info",
  request: "info",
  failure: "error",
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
    case "keys-reloaded":
      return `API keys read: ${event.live} live`;
    case "keys-unreadable":
      return `${paint("red", "API keys cannot be read, the last ones still count")}: ${event.error.message}`;
    case "listening":
      return `listening on ${event.url}`;
    case "request":
      return requestSentence(event, paint);
    case "failure":
      return `${paint("red", `request ${event.requestId} failed`)}: ${event.error.stack ?? event.error.message}`;
    case "stopping":
      return `${event.signal}: stopping, ${event.inFlight} requests in flight`;
    case "stopped":
      return "stopped";
  }
}

function requestSentence(event: Extract<ShownEvent, { event: "request" }>, paint: Paint): string {
  const { method, path, status, milliseconds, keyId = "no key", requestId } = event;
  const colour =
    status >= 500 ? "red" : status >= 400 ? "yellow" : status >= 300 ? "cyan" : "green";
  const details = paint("dim", `${milliseconds.toFixed(1)} ms, ${keyId}, ${requestId}`);
  return `${method} ${path} ${paint(colour, String(status))} ${details}`;
}
