/**
 * `npm run client:types`: generates the client's types from the OpenAPI document. A test fails if
 * they are out of date.
 */

import { resolve } from "node:path";
import { describeApi } from "../src/http/routes.ts";

export const CLIENT_TYPES = resolve(import.meta.dir, "../client/src/generated.ts");

/** The parts of JSON Schema that the document uses. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  description?: string;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  parameters: Parameter[];
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface OpenApi {
  paths: Record<string, { get: Operation }>;
  components: { schemas: Record<string, Schema> };
}

const HEADING = `/**
 * The types of the API. Generated from its OpenAPI document by \`npm run client:types\`; do not
 * edit.
 */
`;

export function clientTypes(): string {
  const deployment = { version: "", maxOffset: 0, publicUrl: "" };
  const { paths, components } = describeApi(deployment) as OpenApi;
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  return formatted([HEADING, ...schemas, operations(paths)].join("\n"));
}

/** Each path with its query parameters and its response document. */
function operations(paths: OpenApi["paths"]): string {
  const members = Object.entries(paths).map(([path, { get }]) => {
    const parameters = get.parameters
      .filter((parameter) => parameter.in === "query")
      .map((one) =>
        member(one.name, one.schema, {
          description: one.description,
          isNeeded: one.required === true,
        }),
      );
    const query = parameters.length > 0 ? `query: {\n${parameters.join("\n")} };\n` : "";
    return `${comment(get.summary)}${JSON.stringify(path)}: {\n${query}reply: ${replyOf(get)}; };`;
  });
  return `/** Every path, with its query parameters and its response document. */
    export interface Operations { ${members.join("\n")} }\n`;
}

function replyOf({ operationId, responses }: Operation): string {
  const [content] = Object.values(responses["200"]?.content ?? {});
  if (!content) throw new Error(`${operationId} has no response body; add a schema`);
  return typeOf(content.schema);
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map(typeOf));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return "unknown";
  return union(types.map((type) => typeNamed(type, schema)));
}

function typeNamed(type: string, schema: Schema): string {
  switch (type) {
    case "object":
      return objectType(schema);
    case "array":
      return arrayType(schema);
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    default:
      throw new Error(
        `unknown type ${type} in the OpenAPI document; add it to scripts/client-types.ts`,
      );
  }
}

const union = (types: string[]): string => [...new Set(types)].join(" | ");

function arrayType({ items, minItems, maxItems }: Schema): string {
  const item = items ? typeOf(items) : "unknown";
  const isTuple = minItems !== undefined && minItems === maxItems;
  return isTuple ? `readonly [${Array(minItems).fill(item).join(", ")}]` : `readonly (${item})[]`;
}

function objectType(schema: Schema): string {
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(properties).map(([name, value]) =>
    member(name, value, { description: value.description, isNeeded: required.includes(name) }),
  );
  const rest = restOf(schema);
  if (rest) members.push(`readonly [name: string]: ${rest};`);
  return `{\n${members.join("\n")} }`;
}

/** The type of unnamed members; undefined if programs need not see them. */
function restOf({
  properties,
  patternProperties,
  additionalProperties,
}: Schema): string | undefined {
  const patterns = Object.values(patternProperties ?? {});
  if (patterns.length > 0) return union(patterns.map(typeOf));
  if (typeof additionalProperties === "object") return typeOf(additionalProperties);
  return additionalProperties === true || !properties ? "unknown" : undefined;
}

function member(
  name: string,
  schema: Schema,
  { description, isNeeded }: { description: string | undefined; isNeeded: boolean },
): string {
  return `${comment(description)}readonly ${JSON.stringify(name)}${isNeeded ? "" : "?"}: ${typeOf(schema)};`;
}

const comment = (text: string | undefined) =>
  text ? `/** ${text.replaceAll("*/", "*\\/")} */\n` : "";

function formatted(code: string): string {
  const biome = resolve(import.meta.dir, "../node_modules/.bin/biome");
  const run = Bun.spawnSync([biome, "format", `--stdin-file-path=${CLIENT_TYPES}`], {
    cwd: resolve(import.meta.dir, ".."),
    stdin: Buffer.from(code),
  });
  if (run.exitCode !== 0) throw new Error(`formatting with Biome failed:\n${run.stderr}`);
  return run.stdout.toString();
}

if (import.meta.main) await Bun.write(CLIENT_TYPES, clientTypes());
