/** What the log shows of an event: no secrets, no player names unless wanted, errors as text. */

import { shownPath, shownQuery } from "./address.ts";
import type { Event, RequestEvent } from "./events.ts";
import { type ErrorText, errorText, scrub } from "./scrub.ts";

type ShownRequest = Omit<RequestEvent, "query" | "route" | "time" | "stages" | "records"> & {
  /** Undefined when there was none. */
  query: string | undefined;
};

type Shown<E> = E extends RequestEvent
  ? ShownRequest
  : { [Member in keyof E]: Member extends "error" ? ErrorText : E[Member] };

export type ShownEvent = Shown<Event>;

// Line feeds stay, since stack traces have them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal.
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** Player names that a caller asked for stay only if `showNames`. */
export function presentable(event: Event, showNames: boolean): ShownEvent {
  if (event.event === "request") return presentableRequest(event, showNames);
  if ("error" in event) return { ...event, error: errorText(event.error) };
  if (event.event === "admin-request") {
    const path = shownPath(event.path, event.route !== undefined);
    return { ...event, path, milliseconds: rounded(event.milliseconds) };
  }
  if (event.event === "shard-opened") return { ...event, location: scrub(event.location) };
  if (event.event === "replica-left-out") return { ...event, why: scrub(event.why) };
  return event;
}

function presentableRequest(request: RequestEvent, showNames: boolean): ShownRequest {
  const { event, requestId, method, path, query, route, status, code, keyId, tier } = request;
  return {
    event,
    requestId,
    method,
    path: shownPath(path, route !== undefined),
    query: query === "" ? undefined : shownQuery(query, showNames),
    status,
    code,
    milliseconds: rounded(request.milliseconds),
    keyId,
    tier,
  };
}

/** To the microsecond. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

/** The same event without characters that would do something to a terminal. */
export function printable(event: ShownEvent): ShownEvent {
  return Object.fromEntries(
    Object.entries(event).map(([member, value]) => [member, withoutControls(value)]),
  ) as ShownEvent;
}

function withoutControls(value: unknown): unknown {
  if (typeof value === "string") return value.replace(CONTROL, "?");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, withoutControls(inner)]),
  );
}
