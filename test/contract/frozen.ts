/** Responses in a form that is the same in every run: what differs is replaced, and members are in a stable order. */

import { version } from "../../package.json";
import type { Json, JsonObject } from "../../src/domain/json.ts";
import type { Reply } from "../support/world.ts";

/** Sent by the runtime or the client, or up to the client: not part of the contract. */
const UNSPECIFIED = new Set([
  ...["date", "content-length", "content-encoding", "connection", "host", "user-agent"],
]);

/** Values that differ from one run to the next, by the name of the header. */
const VOLATILE_HEADERS: Record<string, string> = {
  "x-request-id": "<request id>",
  "webhook-id": "<message id>",
  "webhook-timestamp": "<seconds>",
  "webhook-signature": "v1,<signature>",
};

/** The same, by the name of the member. */
const VOLATILE_MEMBERS: Record<string, string> = {
  changedAt: "<time>",
  timestamp: "<time>",
};

/** The cursor of a change, alone or in a link: a number and a random tag. */
const LOG_CURSOR = /(^|page%5Bafter%5D=)(\d+)-[0-9a-z]+(?=$|&)/;
const KEY_ID = /^k_\w+$/;
/** Also the id of every problem. */
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-z]+$/;

export function frozen({ status, headers, body }: Reply): JsonObject {
  const shown = [...headers]
    .filter(([name]) => !UNSPECIFIED.has(name))
    .map(([name, value]): [string, string] => [name, headerValue(name, value)]);
  return frozenJson({
    ...(status > 0 ? { status } : {}),
    headers: Object.fromEntries(shown),
    ...(body === undefined ? {} : { body }),
  }) as JsonObject;
}

function headerValue(name: string, value: string): string {
  if (name === "etag") return value.startsWith("W/") ? "<weak tag>" : "<strong tag>";
  return VOLATILE_HEADERS[name] ?? value;
}

/** Members are sorted: their order means nothing to clients. */
export function frozenJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(frozenJson);
  if (typeof value === "string") {
    if (value === version) return "<version>";
    if (REQUEST_ID.test(value)) return "<request id>";
    return value.replace(LOG_CURSOR, "$1$2-<tag>").replace(KEY_ID, "<key id>");
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value as JsonObject).map(([name, inner]): [string, Json] => {
    const isVolatile = name in VOLATILE_MEMBERS && typeof inner === "string";
    return [name, isVolatile ? VOLATILE_MEMBERS[name]! : frozenJson(inner)];
  });
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const WIDTH = 100;

/** JSON in which what fits on a line is on one. */
export function written(value: Json, indent = ""): string {
  const flat = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  if (typeof value !== "object" || value === null || indent.length + flat.length <= WIDTH) {
    return flat;
  }
  const inner = `${indent}  `;
  const [open, parts, close] = Array.isArray(value)
    ? ["[", value.map((one) => written(one, inner)), "]"]
    : [
        "{",
        Object.entries(value).map(
          ([name, one]) => `${JSON.stringify(name)}: ${written(one as Json, inner)}`,
        ),
        "}",
      ];
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}
