/** The responses in the OpenAPI document: statuses, headers and content of each route. */

import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import type { Endpoint, Kind } from "../query/endpoint.ts";
import examples from "./examples.json";

export const JSON_API = "application/vnd.api+json";

/** The description of a route. */
export interface DescribedRoute {
  /** With variable parts in braces. */
  path: string;
  summary: string;
  description: string;
  access: "key" | "own" | "open";
  /** Whether it is never refused by the limit on requests without a key. */
  isHealthCheck?: boolean;
  takes?: Endpoint;
  /** Whether the daily match quota applies. */
  readsMatches?: boolean;
  /** The variable parts that are not ids. */
  segments?: Readonly<Record<string, { description: string; values: readonly string[] }>>;
  /** Error codes beyond those that follow from the path and the parameters. */
  codes?: readonly ErrorCode[];
  /** Set if it can also be read as a stream of events. */
  stream?: unknown;
  /** The name of its schema. */
  response: string;
}

type Responses = Record<string, { description: string; headers?: object; content?: object }>;

export function responsesOf(route: DescribedRoute, example: object | undefined): Responses {
  return { ...successes(route, example), ...failures(route) };
}

function successes(route: DescribedRoute, example: object | undefined): Responses {
  const schema = { $ref: `#/components/schemas/${route.response}` };
  if (route.access !== "key") {
    const content = { "application/json": { schema } };
    const headers = reference(route.access === "own" ? [...EVERYWHERE, ...LIMITS] : EVERYWHERE);
    return { 200: { description: "OK.", headers, content } };
  }
  const headers = reference([...EVERYWHERE, ...LIMITS, "ETag", "Cache-Control"]);
  return {
    200: {
      description: "The records, compressed with gzip if the client accepts it.",
      headers: { ...headers, ...reference(["Content-Encoding"]) },
      content: { [JSON_API]: { schema, example }, ...(route.stream ? STREAM_CONTENT : {}) },
    },
    304: { description: "Not modified: the ETag in If-None-Match is current.", headers },
  };
}

const STREAM_CONTENT = {
  "text/event-stream": {
    schema: {
      type: "string",
      description:
        "Server-Sent Events. `change`: `id` is the cursor after the change, `data` the change as JSON. `end`: the last event of a stream that the server ends, `data` is an object with `code` and `detail`.",
    },
  },
};

/** The error codes of a route, by its stages. */
function codesOf(route: DescribedRoute): ErrorCode[] {
  const { path, access, isHealthCheck, takes, readsMatches, codes = [] } = route;
  if (access === "open") {
    return [
      "uri-too-long",
      ...(isHealthCheck ? [] : ([...NO_PARAMETERS, "rate-limited"] as const)),
      "internal-error",
    ];
  }
  if (access === "own") return OWN_CODES;
  const parameters = Object.values(takes!.parameters);
  const isOf: Partial<Record<ErrorCode, boolean>> = {
    "unknown-route": false,
    "method-not-allowed": false,
    "usage-unavailable": false,
    "unknown-shard": path.includes("{shard}"),
    "shard-closed": path.includes("{shard}"),
    "not-found": path.endsWith("}") || path.includes("{id}"),
    "quota-exceeded": readsMatches === true,
    ...Object.fromEntries(
      Object.entries(CODES_OF_KINDS).map(([code, kinds]) => [
        code,
        parameters.some((one) => kinds.includes(one.kind) && !("most" in one && one.most === 0)),
      ]),
    ),
    "conflicting-parameters": "page[before]" in takes!.parameters,
    "not-ready": false,
    "cursor-expired": false,
    "too-many-streams": false,
  };
  return (Object.keys(ERRORS) as ErrorCode[]).filter(
    (code) => isOf[code] !== false || codes.includes(code),
  );
}

/** Codes that only these kinds of parameters have. */
const CODES_OF_KINDS: Partial<Record<ErrorCode, readonly Kind[]>> = {
  "too-many-values": ["list", "modes"],
  "unknown-include-path": ["include"],
  "unknown-type": ["fields"],
  "invalid-window": ["timestamp"],
  "invalid-cursor": ["cursor"],
  "offset-too-deep": ["offset"],
};

/** Of a path that has no parameters. */
const NO_PARAMETERS = ["malformed-query", "unknown-parameter"] as const;

const OWN_CODES: ErrorCode[] = [
  ...NO_PARAMETERS,
  "uri-too-long",
  "unauthorized",
  "rate-limited",
  "too-many-failures",
  "internal-error",
  "keys-unavailable",
  "overloaded",
  "usage-unavailable",
];

function failures(route: DescribedRoute): Responses {
  const byStatus = Map.groupBy(codesOf(route), (code) => ERRORS[code].status);
  const responses: Responses = {};
  for (const [status, codes] of byStatus) {
    const isCharged = route.access !== "open" && !BEFORE_THE_KEY.has(status);
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(" "),
      headers: reference([
        ...EVERYWHERE,
        ...(isCharged ? LIMITS : []),
        ...(EXTRA_HEADERS[status] ?? []),
      ]),
      content: {
        [JSON_API]: {
          schema: { $ref: "#/components/schemas/Errors" },
          ...(status === 400 && route.access === "key" ? { example: examples.Errors } : {}),
        },
      },
    };
  }
  if (route.response === "Readiness") {
    const schema = { $ref: "#/components/schemas/Readiness" };
    responses[503] = {
      description: "A shard is unavailable, or API keys cannot be checked.",
      headers: reference(EVERYWHERE),
      content: { "application/json": { schema } },
    };
  }
  return responses;
}

/** Rejected before the key is checked, so without limit headers. */
const BEFORE_THE_KEY: ReadonlySet<number> = new Set([401, 414]);

/** Besides those that only caches and browsers read: Vary and those of CORS. */
const EVERYWHERE = ["X-Request-Id"];

const LIMITS = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
];

const EXTRA_HEADERS: Record<number, string[]> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

const header = (description: string, schema: object, example: unknown) => ({
  description,
  schema,
  example,
});
const TEXT = { type: "string" };
const NUMBER = { type: "integer", minimum: 0 };

export const HEADERS: Record<string, object> = {
  ETag: header(
    "Entity tag, the same in every encoding: of all bytes (single records) or of the records (collections). Weak, except for single records that are not compressed.",
    TEXT,
    'W/"3c2l8grlwrhzb"',
  ),
  "X-Request-Id": header("Request id, for problem reports.", TEXT, "53a3a804-1"),
  "RateLimit-Policy": header(
    "The rate limit and its window in seconds.",
    TEXT,
    '"default";q=60;w=60',
  ),
  RateLimit: header(
    "Requests left, and seconds until the limit is fully restored.",
    TEXT,
    '"default";r=59;t=1',
  ),
  "X-RateLimit-Limit": header("The rate limit of the key.", NUMBER, 60),
  "X-RateLimit-Remaining": header("Requests left.", NUMBER, 59),
  "X-RateLimit-Reset": header("Seconds until the limit is fully restored.", NUMBER, 1),
  "Retry-After": header("Seconds to wait before the next request.", NUMBER, 1),
  "WWW-Authenticate": header("How to authenticate.", TEXT, "Bearer"),
  "Cache-Control": header("How the response may be cached.", TEXT, "private, no-cache"),
  "Content-Encoding": header("gzip, if the client accepts it.", TEXT, "gzip"),
};

function reference(names: string[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
