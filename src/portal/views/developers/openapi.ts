/** Reads the OpenAPI document of the server for the page of endpoints. */

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

interface Response {
  description: string;
  content?: Readonly<Record<string, { schema?: Schema; example?: unknown }>>;
}

interface OperationObject {
  /** Also the anchor on the page. */
  operationId: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  security?: readonly unknown[];
  /** Required ones first, those in the path before the others. */
  parameters?: readonly Parameter[];
  responses: Readonly<Record<string, Response>>;
}

export type Operation = ReturnType<typeof groupsOf>[number]["operations"][number];

export interface OpenApi {
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, { parameters?: readonly Parameter[]; get?: OperationObject }>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

/** The operations of each tag. All are GET requests. */
export function groupsOf({ tags, paths }: OpenApi) {
  return tags.map((tag) => ({
    ...tag,
    operations: Object.entries(paths).flatMap(([path, { parameters: shared = [], get }]) => {
      if (!get?.tags?.includes(tag.name)) return [];
      const parameters = inOrder(foldedFields([...shared, ...(get.parameters ?? [])]));
      return [{ ...get, path, parameters }];
    }),
  }));
}

function inOrder(parameters: readonly Parameter[]): Parameter[] {
  const weight = (one: Parameter) => (one.in === "path" ? 0 : one.required ? 1 : 2);
  return parameters.toSorted((one, other) => weight(one) - weight(other));
}

const FIELDS = /^fields\[(\w+)\]$/;

/** One row for `fields[match]`, `fields[player]` and so on, which differ only in the type. */
function foldedFields(parameters: readonly Parameter[]): Parameter[] {
  const types = parameters.flatMap(({ name }) => FIELDS.exec(name)?.[1] ?? []);
  const list = types.map((type) => `\`${type}\``).join(", ");
  return parameters.flatMap((one) => {
    const type = FIELDS.exec(one.name)?.[1];
    if (type === undefined) return [one];
    if (type !== types[0]) return [];
    return [{ ...one, name: "fields[TYPE]", description: `${one.description} Types: ${list}.` }];
  });
}

/** The schema that a reference names. */
export function resolved({ components }: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return (name && components.schemas[name]) || schema;
}

/** "array of Match", "integer, 1 to 5", "string or null". */
export function typeName(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeName))].join(" or ");
  if (schema.type === "array" && schema.items) return `array of ${typeName(schema.items)}`;
  const type = [schema.type ?? "any"].flat().join(" or ");
  const { minimum, maximum, format } = schema;
  if (format) return `${type}, ${format}`;
  if (maximum !== undefined) return `${type}, ${minimum ?? 0} to ${maximum}`;
  return type;
}
