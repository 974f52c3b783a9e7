/** Reads the OpenAPI document of the server for the page of endpoints. */

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  additionalProperties?: boolean | Schema;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

interface MediaType {
  schema?: Schema;
  example?: unknown;
}

export interface Response {
  status: string;
  description: string;
  /** Of the first media type. */
  schema: Schema | undefined;
  example: unknown;
}

export interface Operation {
  /** Also the anchor on the page. */
  id: string;
  path: string;
  summary: string;
  description: string;
  needsKey: boolean;
  /** Required ones first, those in the path before the others. */
  parameters: readonly Parameter[];
  responses: readonly Response[];
}

export interface OperationGroup {
  name: string;
  description: string;
  operations: readonly Operation[];
}

interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  security?: readonly unknown[];
  parameters?: readonly Parameter[];
  responses: Readonly<
    Record<string, { description: string; content?: Readonly<Record<string, MediaType>> }>
  >;
}

export interface OpenApi {
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, { parameters?: readonly Parameter[]; get?: OperationObject }>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

/** The operations of each tag. All are GET requests. */
export function groupsOf({ tags, paths }: OpenApi): OperationGroup[] {
  return tags.map(({ name, description }) => ({
    name,
    description,
    operations: Object.entries(paths).flatMap(([path, { parameters = [], get }]) =>
      get?.tags?.includes(name) ? [operationOf(path, get, parameters)] : [],
    ),
  }));
}

function operationOf(
  path: string,
  {
    operationId,
    summary = "",
    description = "",
    security,
    parameters = [],
    ...rest
  }: OperationObject,
  shared: readonly Parameter[],
): Operation {
  return {
    id: operationId,
    path,
    summary,
    description,
    needsKey: security === undefined || security.length > 0,
    parameters: inOrder(foldedFields([...shared, ...parameters])),
    responses: Object.entries(rest.responses).map(([status, response]) => {
      const [media] = Object.values(response.content ?? {});
      return {
        status,
        description: response.description,
        schema: media?.schema,
        example: media?.example,
      };
    }),
  };
}

function inOrder(parameters: readonly Parameter[]): Parameter[] {
  const weight = (one: Parameter) => (one.in === "path" ? 0 : one.required ? 1 : 2);
  return parameters.toSorted((one, other) => weight(one) - weight(other));
}

const FIELDS = /^fields\[(\w+)\]$/;

/** One row for `fields[match]`, `fields[player]` and so on, which differ only in the type. */
function foldedFields(parameters: readonly Parameter[]): Parameter[] {
  const types = parameters.flatMap(({ name }) => FIELDS.exec(name)?.[1] ?? []);
  let isFolded = false;
  return parameters.flatMap((one) => {
    if (!FIELDS.test(one.name)) return [one];
    if (isFolded) return [];
    isFolded = true;
    const list = types.map((type) => `\`${type}\``).join(", ");
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
