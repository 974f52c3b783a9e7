/** In charge of what of an event may be shown: no secrets, no player names, errors as plain text. */

import { shownPath, shownQuery } from "./address.ts";
import type { Event } from "./events.ts";
import { type ErrorText, errorText, scrub } from "./scrub.ts";

type Plain<E> = E extends Event
  ? { [Member in keyof E]: Member extends "error" ? ErrorText : E[Member] }
  : never;

/** An event with its error, if it has one, as text. */
export type ShownEvent = Plain<Event>;

// Line feeds stay, since stack traces have them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal.
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** Player names that a caller asked for stay only if `showNames`. */
export function presentable(event: Event, showNames: boolean): ShownEvent {
  if ("error" in event) return { ...event, error: errorText(event.error) };
  if (event.event === "request") {
    const { path, query, route } = event;
    const shown = shownPath(path, route !== undefined);
    return { ...event, path: shown, query: shownQuery(query, showNames) };
  }
  if (event.event === "admin-request") {
    const { path, milliseconds, route } = event;
    const shown = shownPath(path, route !== undefined);
    return { ...event, path: shown, milliseconds: rounded(milliseconds) };
  }
  if (event.event === "shard-opened") return { ...event, location: scrub(event.location) };
  if (event.event === "replica-left-out") return { ...event, why: scrub(event.why) };
  return event;
}

/** To the microsecond. */
export const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

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
