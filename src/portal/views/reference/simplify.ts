/**
 * Simplifies the OpenAPI document for the reference page. Also removes example values, which Swagger UI would
 * fill into its forms although they do not work together.
 */

type Json = { [name: string]: unknown };

interface Parameter extends Json {
  name: string;
  in: string;
}

/** These work the same for every endpoint, so they are not listed. */
const HIDDEN_METHODS = ["head", "options"];

export function simplifiedDescription(description: Json, shard: string): Json {
  const paths = (description.paths ?? {}) as Record<string, Json>;
  return {
    ...description,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [path, simplifiedPath(item, shard)]),
    ),
  };
}

function simplifiedPath(item: Json, shard: string): Json {
  const kept = Object.entries(item).filter(([name]) => !HIDDEN_METHODS.includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === "parameters"
        ? simplifiedParameters(value, shard)
        : simplifiedOperation(value, shard),
    ]),
  );
}

function simplifiedOperation(value: unknown, shard: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  const operation = value as Json;
  return {
    ...operation,
    ...("parameters" in operation && {
      parameters: simplifiedParameters(operation.parameters, shard),
    }),
    ...("responses" in operation && { responses: simplifiedResponses(operation.responses) }),
  };
}

/** Drops the response headers and error schemas, which are the same everywhere and would fill most of the page. */
function simplifiedResponses(responses: unknown): Json {
  return Object.fromEntries(
    Object.entries(responses as Record<string, Json>).map(
      ([status, { headers, content, ...rest }]) => [
        status,
        status.startsWith("2") && content ? { ...rest, content } : rest,
      ],
    ),
  );
}

/** Swagger UI sets the Accept header itself, from the selected media type. */
const simplifiedParameters = (parameters: unknown, shard: string): Parameter[] =>
  (parameters as Parameter[])
    .filter(({ name }) => name !== "Accept")
    .map((one) => simplifiedParameter(one, shard));

/** Moves the examples of filters into their descriptions, and presets the visitor's shard. */
function simplifiedParameter(parameter: Parameter, shard: string): Parameter {
  const { example, examples, ...rest } = parameter;
  if (parameter.in === "path" && parameter.name === "shard") {
    return shard === "" ? rest : { ...rest, example: shard };
  }
  if (parameter.in !== "query" || typeof example !== "string") return rest;
  const description = `${rest.description ?? ""} Example: \`${example}\`.`;
  return { ...rest, description: description.trim() };
}
