/** In charge of what of an event may be shown: no query strings, no secrets, errors as plain text. */

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

export function presentable(event: Event): ShownEvent {
  if ("error" in event) return { ...event, error: errorText(event.error) };
  if (event.event === "request") return { ...event, path: shownPath(event.path) };
  if (event.event === "shard-opened") return { ...event, location: scrub(event.location) };
  return event;
}

const HARMLESS = /^[\w./~-]*$/;

/** Whether no secret can hide in a path, nor anything that has to be written otherwise. */
export function isHarmless(path: string): boolean {
  return HARMLESS.test(path) && !path.includes("mb_");
}

export function shownPath(path: string): string {
  return isHarmless(path) ? path : scrub(path.split("?", 1)[0]!);
}

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
