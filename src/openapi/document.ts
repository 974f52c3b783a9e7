/** Builds the OpenAPI document from the tables of routes, parameters, error codes and limits. */

import { ID_PATTERN, SHARD_PATTERN } from "../domain/identifiers.ts";
import { GAME_MODES } from "../domain/modes.ts";
import { INCLUDE_PATHS, RESOURCE_TYPES } from "../domain/vocabulary.ts";
import { fieldsName, type Parameter } from "../query/endpoint.ts";
import { MAX_VALUES } from "../query/parameters.ts";
import examples from "./examples.json";
import { type DescribedRoute, HEADERS, JSON_API, responsesOf } from "./responses.ts";
import type { Schema } from "./schema-parts.ts";
import { SCHEMAS } from "./schemas.ts";

/** What features add: schemas by name, and an example of each response. */
export interface Additions {
  schemas?: Readonly<Record<string, Schema>>;
  examples?: Readonly<Record<string, object>>;
}

export interface Deployment {
  version: string;
  maxOffset: number;
  publicUrl: string;
}

export function openApiDocument(
  routes: readonly DescribedRoute[],
  features: readonly Additions[],
  deployment: Deployment,
): object {
  const all = Object.assign({}, examples, ...features.map((feature) => feature.examples));
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
    paths: Object.fromEntries(
      routes.map((route) => [
        route.path,
        pathItem({ ...route, maxOffset: deployment.maxOffset }, all[route.response]),
      ]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `Authorization: Bearer <API_KEY>`.",
        },
      },
      headers: HEADERS,
      schemas: Object.assign({}, SCHEMAS, ...features.map((feature) => feature.schemas)),
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

type DeployedRoute = DescribedRoute & Pick<Deployment, "maxOffset">;

const TAGS = { key: "records", own: "key", open: "service" } as const;

function pathItem(route: DeployedRoute, example: object | undefined): object {
  return {
    parameters: pathParameters(route),
    get: {
      operationId: `get${route.response}`,
      summary: route.summary,
      description: route.description,
      tags: [TAGS[route.access]],
      ...(route.access === "open" ? { security: [] } : {}),
      parameters: parameters(route),
      responses: responsesOf(route, example),
    },
  };
}

function pathParameters({ path, response, segments = {} }: DescribedRoute): object[] {
  const [what, single] =
    response === "SingleMatch"
      ? (["match", examples.SingleMatch] as const)
      : (["player", examples.SinglePlayer] as const);
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const { description, values } = segments[name!] ?? {};
    const isShard = name === "shard";
    return {
      name,
      in: "path",
      required: true,
      description: description ?? (isShard ? "Shard id." : `The id of the ${what}.`),
      schema: {
        type: "string",
        ...(values ? { enum: values } : { pattern: isShard ? SHARD_PATTERN : ID_PATTERN }),
      },
      example: values?.[0] ?? (isShard ? "na" : single.data.id),
    };
  });
}

function parameters(route: DeployedRoute): object[] {
  const { takes } = route;
  if (takes === undefined) return [];
  const taken = Object.entries(takes.parameters).flatMap(([name, parameter]) =>
    parameter.kind === "fields"
      ? fieldsParameters(parameter, route)
      : queryParameter(name, parameter, route),
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
function fieldsParameters(parameter: Parameter, route: DeployedRoute): object[] {
  const types = isAboutPlayers(route) ? (["player"] as const) : RESOURCE_TYPES;
  return types.map((type) => ({
    ...queryParameter(fieldsName(type), parameter, route),
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

function queryParameter(name: string, parameter: Parameter, route: DeployedRoute): object {
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
    name,
    in: "query",
    description: words.join(" "),
    ...(mayBeEmpty ? { allowEmptyValue: true } : {}),
    ...(isRequired ? { required: true } : {}),
    schema: parameterSchema(parameter, route),
    example: exampleOf(parameter),
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

const exampleOf = ({ kind, example }: Parameter): unknown =>
  kind === "limit" || kind === "offset" ? Number(example) : example;

function parameterSchema(parameter: Parameter, { maxOffset }: DeployedRoute): object {
  switch (parameter.kind) {
    case "limit":
      return { type: "integer", minimum: 1, maximum: parameter.most, default: parameter.usual };
    case "offset": {
      const maximum = parameter.most ?? Math.min(maxOffset, LARGEST);
      return { type: "integer", minimum: 0, maximum, default: 0 };
    }
    case "sort":
    case "choice":
      return { type: "string", enum: parameter.choices, default: parameter.default };
    case "timestamp":
      return { type: "string", format: "date-time" };
    case "modes": {
      const mode = `(${GAME_MODES.join("|")})`;
      return { type: "string", pattern: `^${mode}(,${mode}){0,${MAX_VALUES - 1}}$` };
    }
    case "text":
      return { type: "string", minLength: 1, maxLength: parameter.most };
    default:
      return { type: "string" };
  }
}
