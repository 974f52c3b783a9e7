/** Builds the OpenAPI document from the tables of routes, parameters, error codes and limits. */

import { ACTOR_SORTS } from "../domain/actors.ts";
import { ID_PATTERN, SHARD_PATTERN } from "../domain/identifiers.ts";
import { BOARDS, PERIODS } from "../domain/leaderboards.ts";
import { GAME_MODES } from "../domain/modes.ts";
import { INCLUDE_PATHS, RESOURCE_TYPES } from "../domain/vocabulary.ts";
import {
  DEFAULT_RECORDS,
  type Endpoint,
  fieldsName,
  MAX_NEAR_LENGTH,
  MAX_RECORDS,
  MAX_VALUES,
  MAX_WAIT,
  PARAMETERS,
  type Parameter,
} from "../query/parameters.ts";
import examples from "./examples.json";
import { type DescribedRoute, HEADERS, JSON_API, responsesOf } from "./responses.ts";
import { SCHEMAS } from "./schemas.ts";

export interface Deployment {
  version: string;
  maxOffset: number;
  publicUrl: string;
}

export function openApiDocument(routes: readonly DescribedRoute[], deployment: Deployment): object {
  return {
    openapi: "3.1.0",
    info: {
      title: "Matchbook",
      version: deployment.version,
      summary: "Completed matches and lifetime player records of an online game, by region shard.",
      description: DESCRIPTION,
      contact: {
        name: "The operator of this Matchbook server",
        ...(deployment.publicUrl && { url: deployment.publicUrl }),
      },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: deployment.publicUrl || "/", description: "This server" }],
    tags: [
      { name: "records", description: "Matches and players. Requires an API key." },
      { name: "key", description: "The API key of the request: limits and usage." },
      { name: "service", description: "Status of the server. No API key required." },
    ],
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(routes.map((route) => [route.path, pathItem(route, deployment)])),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `Authorization: Bearer <API_KEY>`.",
        },
      },
      headers: HEADERS,
      schemas: SCHEMAS,
    },
  };
}

const DESCRIPTION = [
  "A read-only JSON:API over completed matches and the players in them.",
  "Every request for records needs an API key and `Accept: application/vnd.api+json`.",
  "A match document includes its rosters, participants, players and teams.",
  "`fields[TYPE]` also accepts further resource types that records contain, besides those listed here.",
  "Every URL also supports HEAD, and OPTIONS for CORS preflight requests, which need no key.",
  "Bulk scraping of matches is prohibited.",
].join(" ");

const TAGS = { key: "records", own: "key", open: "service" } as const;

function pathItem(route: DescribedRoute, deployment: Deployment): object {
  return {
    parameters: pathParameters(route),
    get: {
      operationId: `get${route.response}`,
      summary: route.summary,
      description: route.description,
      tags: [TAGS[route.access]],
      ...(route.access === "open" ? { security: [] } : {}),
      parameters: parameters(route, deployment),
      responses: responsesOf(route),
    },
  };
}

const BOARD_PARAMETER = {
  name: "board",
  in: "path",
  required: true,
  description: "The name of the leaderboard.",
  schema: { type: "string", enum: BOARDS },
  example: BOARDS[0],
};

function pathParameters({ path, response }: DescribedRoute): object[] {
  const [what, single] =
    response === "SingleMatch"
      ? (["match", examples.SingleMatch] as const)
      : (["player", examples.SinglePlayer] as const);
  const parameter = (name: string) => ({
    name,
    in: "path",
    required: true,
    description: name === "shard" ? "Shard id." : `The id of the ${what}.`,
    schema: { type: "string", pattern: name === "shard" ? SHARD_PATTERN : ID_PATTERN },
    example: name === "shard" ? "na" : single.data.id,
  });
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    name === "board" ? BOARD_PARAMETER : parameter(name!),
  );
}

function parameters(route: DescribedRoute, deployment: Deployment): object[] {
  const { takes } = route;
  if (takes === undefined) return [];
  const taken = (PARAMETERS as readonly Parameter[])
    .filter(({ endpoints }) => endpoints.includes(takes))
    .flatMap((parameter) =>
      parameter.kind === "fields"
        ? fieldsParameters(parameter, route, deployment)
        : queryParameter(parameter, route, deployment),
    );
  return [
    ...taken,
    ...(route.stream ? [...LAST_EVENT_ID, ACCEPT_STREAM] : [ACCEPT]),
    IF_NONE_MATCH,
  ];
}

/**
 * OpenAPI tells tools to ignore a parameter named Accept, but the client generators that would otherwise send a
 * different Accept do read it.
 */
const ACCEPT = {
  name: "Accept",
  in: "header",
  required: true,
  description: `The media type of the response. A request without \`Accept: ${JSON_API}\` gets 406.`,
  schema: { type: "string", enum: [JSON_API] },
};

const ACCEPT_STREAM = {
  ...ACCEPT,
  description: `The media type of the response: \`${JSON_API}\`, or \`text/event-stream\` for a stream. A request with neither gets 406.`,
  schema: { type: "string", enum: [JSON_API, "text/event-stream"] },
};

const LAST_EVENT_ID = [
  {
    name: "Last-Event-ID",
    in: "header",
    description:
      "For a stream: the id of the last event that the client has received. It wins over `page[after]`.",
    schema: { type: "string" },
    example: "1z4-k3f9x0",
  },
  {
    name: "lastEventId",
    in: "query",
    description:
      "The same as `Last-Event-ID`, which wins over it, for libraries that cannot send the header. Only a stream has it.",
    schema: { type: "string" },
    example: "1z4-k3f9x0",
  },
];

const IF_NONE_MATCH = {
  name: "If-None-Match",
  in: "header",
  description: "The ETag of an earlier response. If it is still current, the response is 304.",
  schema: { type: "string" },
  example: 'W/"3c2l8grlwrhzb"',
};

/** One per type: generators disagree on how to serialize a deepObject parameter. */
function fieldsParameters(
  parameter: Parameter,
  route: DescribedRoute,
  deployment: Deployment,
): object[] {
  const types = isAboutPlayers(route) ? (["player"] as const) : RESOURCE_TYPES;
  return types.map((type) => ({
    ...queryParameter(parameter, route, deployment),
    name: fieldsName(type),
    example: FIELDS_EXAMPLES[type],
  }));
}

const FIELDS_EXAMPLES: Record<(typeof RESOURCE_TYPES)[number], string> = {
  match: "createdAt,gameMode",
  roster: "won,participants",
  participant: "actor,player",
  player: "name,stats",
  team: "name",
};

function queryParameter(
  parameter: Parameter,
  route: DescribedRoute,
  deployment: Deployment,
): object {
  const { kind, mayBeEmpty, isRequired } = parameter;
  if (kind === "include" && isAboutPlayers(route)) return NOTHING_TO_INCLUDE;
  const words = [
    parameter.description,
    ...(kind === "include"
      ? [`Paths: ${INCLUDE_PATHS.join(", ")}, and further relationships of the records.`]
      : []),
    ...(parameter.default ? [`Default: ${parameter.default}.`] : []),
  ];
  return {
    name: parameter.name,
    in: "query",
    description: words.join(" "),
    ...(mayBeEmpty ? { allowEmptyValue: true } : {}),
    ...(isRequired ? { required: true } : {}),
    schema: parameterSchema(parameter, route.takes!, deployment),
    example: exampleOf(parameter, route.takes!),
  };
}

const isAboutPlayers = ({ response }: DescribedRoute) => response.includes("Player");

/** The maximum in the document if there is no limit. */
const LARGEST = 2 ** 31 - 1;

const NOTHING_TO_INCLUDE = {
  name: "include",
  in: "query",
  description: "Players have no related resources: only an empty value is accepted.",
  allowEmptyValue: true,
  schema: { type: "string", maxLength: 0 },
};

const CURSOR_EXAMPLE = "1z.4cd1f2d3-0f34-4b2f-9d46-3a5f3a3c0a11";

function exampleOf({ kind, example }: Parameter, on: Endpoint): unknown {
  if (kind === "cursor" && on === "changes") return "oldest";
  if (kind === "sort" && on === "actors") return "-winRate";
  if (kind === "cursor" && on === "leaderboards") return CURSOR_EXAMPLE;
  return kind === "limit" || kind === "offset" || kind === "wait" ? Number(example) : example;
}

function parameterSchema({ kind }: Parameter, on: Endpoint, { maxOffset }: Deployment): object {
  switch (kind) {
    case "limit":
      return {
        type: "integer",
        minimum: 1,
        maximum: MAX_RECORDS[on],
        default: DEFAULT_RECORDS[on],
      };
    case "wait":
      return { type: "integer", minimum: 0, maximum: MAX_WAIT, default: 0 };
    case "offset": {
      const maximum = on === "players" ? 0 : Math.min(maxOffset, LARGEST);
      return { type: "integer", minimum: 0, maximum, default: 0 };
    }
    case "sort":
      return on === "actors"
        ? { type: "string", enum: ACTOR_SORTS, default: "-matches" }
        : { type: "string", enum: ["createdAt", "-createdAt"], default: "createdAt" };
    case "timestamp":
      return { type: "string", format: "date-time" };
    case "modes": {
      const mode = `(${GAME_MODES.join("|")})`;
      return { type: "string", pattern: `^${mode}(,${mode}){0,${MAX_VALUES - 1}}$` };
    }
    case "period":
      return { type: "string", enum: PERIODS, default: PERIODS[0] };
    case "name":
      return { type: "string", minLength: 1, maxLength: MAX_NEAR_LENGTH };
    default:
      return { type: "string" };
  }
}
