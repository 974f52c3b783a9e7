/**
 * In charge of what of the description is shown: what people call, without values that the library would
 * fill into its forms and that do not go together.
 */

type Json = { [name: string]: unknown };

interface Parameter extends Json {
  name: string;
  in: string;
}

/** What every address answers in the same way needs no entry of its own. */
const LEFT_OUT = ["head", "options"];

export function simplifiedDescription(description: Json, shard: string): Json {
  const paths = (description.paths ?? {}) as Record<string, Json>;
  return {
    ...description,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [path, shownItem(item, shard)]),
    ),
  };
}

function shownItem(item: Json, shard: string): Json {
  const kept = Object.entries(item).filter(([name]) => !LEFT_OUT.includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === "parameters" ? shownParameters(value, shard) : shownOperation(value, shard),
    ]),
  );
}

function shownOperation(value: unknown, shard: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  const operation = value as Json;
  return {
    ...operation,
    ...("parameters" in operation && { parameters: shownParameters(operation.parameters, shard) }),
    ...("responses" in operation && { responses: shownReplies(operation.responses) }),
  };
}

/** All replies have the same headers, and all refusals the same form: that would be most of the page. */
function shownReplies(replies: unknown): Json {
  return Object.fromEntries(
    Object.entries(replies as Record<string, Json>).map(
      ([status, { headers, content, ...rest }]) => [
        status,
        status.startsWith("2") && content ? { ...rest, content } : rest,
      ],
    ),
  );
}

/** The library sends an Accept header of its own, by the media type chosen for the response. */
const shownParameters = (parameters: unknown, shard: string): Parameter[] =>
  (parameters as Parameter[])
    .filter(({ name }) => name !== "Accept")
    .map((one) => shown(one, shard));

/** Examples of filters stay to be read; the shard is the visitor's own. */
function shown(parameter: Parameter, shard: string): Parameter {
  const { example, examples, ...rest } = parameter;
  if (parameter.in === "path" && parameter.name === "shard") {
    return shard === "" ? rest : { ...rest, example: shard };
  }
  if (parameter.in !== "query" || typeof example !== "string") return rest;
  const description = `${rest.description ?? ""} For example \`${example}\`.`;
  return { ...rest, description: description.trim() };
}
