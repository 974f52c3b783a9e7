/** The responses in the OpenAPI document: statuses, headers and content of each route. */

import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import type { Endpoint } from "../query/parameters.ts";
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
  /** Set if it can also be read as a stream of events. */
  stream?: unknown;
  response: string;
}

type Responses = Record<string, { description: string; headers?: object; content?: object }>;

export function responsesOf(route: DescribedRoute): Responses {
  return { ...successes(route), ...failures(route) };
}

function successes(route: DescribedRoute): Responses {
  const schema = { $ref: `#/components/schemas/${route.response}` };
  if (route.access !== "key") {
    const content = { "application/json": { schema } };
    const headers = reference(route.access === "own" ? [...EVERYWHERE, ...LIMITS] : EVERYWHERE);
    return { 200: { description: "OK.", headers, content } };
  }
  const headers = reference([...EVERYWHERE, ...LIMITS, "ETag", "Cache-Control"]);
  const example = examples[route.response as keyof typeof examples];
  return {
    200: {
      description: "The records, compressed with gzip or zstd if the client accepts it.",
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

/** What `include` and `fields` shape. */
const SHAPED: readonly string[] = ["matches", "players", "single"];

/** The error codes of a route, by its stages. */
function codesOf({
  path,
  access,
  isHealthCheck,
  takes,
  readsMatches,
}: DescribedRoute): ErrorCode[] {
  if (access === "open") {
    return [
      "uri-too-long",
      ...(isHealthCheck ? [] : ([...NO_PARAMETERS, "rate-limited"] as const)),
      "internal-error",
    ];
  }
  if (access === "own") return OWN_CODES;
  const elsewhere = new Set<ErrorCode>([
    "unknown-route",
    "method-not-allowed",
    "usage-unavailable",
    ...(path.includes("{shard}") ? [] : (["unknown-shard", "shard-closed"] as const)),
  ]);
  if (takes !== "single" && takes !== "leaderboards" && takes !== "company") {
    elsewhere.add("not-found");
  }
  if (takes === "single" || takes === "names" || takes === "company") {
    elsewhere.add("too-many-values");
  }
  if (takes !== undefined && !SHAPED.includes(takes)) {
    for (const code of SHAPE_CODES) elsewhere.add(code);
  }
  if (!readsMatches) elsewhere.add("quota-exceeded");
  if (takes !== "actors") elsewhere.add("not-ready");
  if (takes !== "matches") for (const code of MATCH_LIST_CODES) elsewhere.add(code);
  if (takes === "changes" || takes === "leaderboards") elsewhere.delete("invalid-cursor");
  if (takes === "leaderboards") elsewhere.delete("conflicting-parameters");
  if (takes !== "changes") for (const code of FEED_CODES) elsewhere.add(code);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !elsewhere.has(code));
}

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

const SHAPE_CODES = ["unknown-include-path", "unknown-type"] as const;

const FEED_CODES = ["cursor-expired", "too-many-streams"] as const;

const MATCH_LIST_CODES = [
  "invalid-window",
  "invalid-cursor",
  "offset-too-deep",
  "conflicting-parameters",
] as const;

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

const EVERYWHERE = [
  "X-Request-Id",
  "Vary",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
];

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
  "Content-Encoding": header("gzip or zstd, if the client accepts it.", TEXT, "gzip"),
  Vary: header(
    "The request headers that the response depends on.",
    TEXT,
    "Accept, Accept-Encoding, Authorization, Origin",
  ),
  "Access-Control-Allow-Origin": header("Pages of any origin may read the response.", TEXT, "*"),
  "Access-Control-Expose-Headers": header("The headers such pages may read.", TEXT, "ETag"),
};

function reference(names: string[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
