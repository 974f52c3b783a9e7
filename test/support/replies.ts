/**
 * Checks every response in tests against the published contract: the OpenAPI document, the JSON:API
 * schema, and links that are valid URIs.
 */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { Validator } from "jsonapi-validator";
import { describeApi, findRoute, openApiPath } from "../../src/http/routes.ts";
import { compatDescription } from "./compat-description.ts";

const JSON_API = "application/vnd.api+json";

interface DescribedReply {
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: { $ref: string } }>;
}

type Method = "get" | "head" | "options";

const description = describeApi({ version: "0", maxOffset: 10_000, publicUrl: "" }) as {
  paths: Record<string, Record<Method, { responses: Record<string, DescribedReply> }>>;
  components: object;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "service", ...description });
ajv.addSchema({ $id: "gamelocker", ...compatDescription(description, false) });
ajv.addSchema({ $id: "gamelocker-sparse", ...compatDescription(description, true) });
const validators = new Map<string, ValidateFunction>();
const jsonApi = new Validator();

export interface CheckedReply {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  text: string;
  /** The compatibility profile of the server; "off" by default. */
  compat?: "off" | "gamelocker";
}

const ERRORS_SCHEMA = "#/components/schemas/Errors";
/** Described, but not part of every response. */
const OCCASIONAL = new Set(["Content-Encoding"]);

/** Rejected before the limits of a key were looked at, and so without limits to report. */
const isWithoutKey = ({ text }: CheckedReply) =>
  /"code":"(too-many-failures|keys-unavailable|overloaded)"/.test(text);

/** Throws when a response does not match its description. */
export function checkReply(reply: CheckedReply): void {
  const { pathname } = new URL(reply.path, "http://any");
  const found = findRoute(pathname.replace(/(.)\/$/, "$1"));
  const complaints = found
    ? complaintsAbout(reply, openApiPath(found.route))
    : reply.status === 404 || reply.status === 414
      ? contentComplaints(reply, ERRORS_SCHEMA)
      : [`status ${reply.status} at an unknown address`];
  if (complaints.length === 0) return;
  throw new Error(
    `${reply.method} ${reply.path} answered ${reply.status} off its description:\n${complaints.join("\n")}\n${reply.text.slice(0, 2000)}`,
  );
}

function complaintsAbout(reply: CheckedReply, path: string): string[] {
  // The document describes GET. HEAD has the same headers and no body; a preflight has neither.
  const isHead = reply.method === "HEAD";
  if (reply.method === "OPTIONS") {
    return reply.status === 204 && reply.text === "" ? [] : ["this is not a preflight response"];
  }
  const operation =
    description.paths[path]?.[isHead ? "get" : (reply.method.toLowerCase() as Method)];
  // OpenAPI cannot describe methods that do not exist.
  if (!operation) {
    return reply.status === 405 ? contentComplaints(reply, ERRORS_SCHEMA) : ["no such method"];
  }
  const described = operation.responses[reply.status];
  if (!described) return [`status ${reply.status} is not described`];
  const missing = Object.keys(described.headers ?? {})
    .filter((name) => !OCCASIONAL.has(name) && !reply.headers.has(name))
    .filter((name) => !(isWithoutKey(reply) && /RateLimit/.test(name)))
    .map((name) => `the header ${name} is missing`);
  if (!described.content || isHead)
    return [...missing, ...(reply.text === "" ? [] : ["there is a body"])];
  if (reply.text === "") return [...missing, "the body is missing"];
  const content = described.content[reply.headers.get("content-type") ?? ""];
  if (!content) return [...missing, "the type of the body is not described"];
  return [...missing, ...contentComplaints(reply, content.schema.$ref)];
}

/** Hashes of bodies without complaints: many tests fetch the same again and again. */
const faultless = new Set<number | bigint>();

function contentComplaints(reply: CheckedReply, schema: string): string[] {
  const names = [...new URL(reply.path, "http://any").searchParams.keys()];
  const isSparse = names.some((name) => name.startsWith("fields["));
  const type = reply.headers.get("content-type");
  const source =
    reply.compat !== "gamelocker" ? "service" : isSparse ? "gamelocker-sparse" : "gamelocker";
  const hash = Bun.hash([source, schema, type, isSparse, reply.text].join("\n"));
  if (faultless.has(hash)) return [];
  const described = `${source}${schema}`;
  const complaints = bodyComplaints(JSON.parse(reply.text), described, type === JSON_API, isSparse);
  if (complaints.length === 0) faultless.add(hash);
  return complaints;
}

function bodyComplaints(
  body: Parameters<typeof linkageComplaints>[0],
  schema: string,
  isJsonApi: boolean,
  isSparse: boolean,
): string[] {
  const validate = validators.get(schema) ?? ajv.compile({ $ref: schema });
  validators.set(schema, validate);
  const complaints = validate(body)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  if (!isJsonApi) return complaints;
  if (!jsonApi.isValid(body)) complaints.push("this is not JSON:API");
  return [...complaints, ...linkageComplaints(body, isSparse)];
}

interface Linked {
  type: string;
  id: string;
  relationships?: Record<string, { data?: unknown }>;
}

/** Each resource occurs once, and every included one is reachable from the data. */
function linkageComplaints(
  body: { data?: Linked | Linked[]; included?: Linked[] },
  isSparse: boolean,
): string[] {
  if (!body.data || !body.included) return [];
  const all = [body.data, body.included].flat() as Linked[];
  const index = new Map(all.map((resource) => [keyOf(resource), resource]));
  if (index.size < all.length) return ["a resource is there twice"];
  // `fields` may omit the relationships that lead to the included resources.
  if (isSparse) return [];
  const open = [body.data].flat();
  const reached = new Set(open.map(keyOf));
  for (let resource = open.pop(); resource; resource = open.pop()) {
    for (const { data } of Object.values(resource.relationships ?? {})) {
      for (const reference of [data ?? []].flat() as Linked[]) {
        const target = index.get(keyOf(reference));
        if (!target || reached.has(keyOf(target))) continue;
        reached.add(keyOf(target));
        open.push(target);
      }
    }
  }
  return body.included
    .filter((resource) => !reached.has(keyOf(resource)))
    .map((resource) => `nothing links to ${keyOf(resource)}`);
}

const keyOf = ({ type, id }: Linked) => `${type}/${id}`;
