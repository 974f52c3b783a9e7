/** Compares what is served with what was sent, however unusual it is. */

import { isObject, type Json, type JsonObject } from "../../src/domain/json.ts";
import { checkReply } from "../support/replies.ts";
import { JSON_API, type World } from "../support/world.ts";

export interface ServedReply {
  status: number;
  body: JsonObject;
  /** How the response deviates from its description. */
  complaint: string | undefined;
}

/** A response, checked against its description except for field names, which the records choose. */
export async function getAsSent(world: World, path: string): Promise<ServedReply> {
  const response = await fetch(path.startsWith("http") ? path : `${world.url}${path}`, {
    headers: { Authorization: `Bearer ${world.key}`, Accept: JSON_API },
  });
  const text = await response.text();
  const body = JSON.parse(text) as JsonObject;
  const { status, headers } = response;
  let complaint: string | undefined;
  try {
    const renamed = JSON.stringify(withPlainNames(body));
    checkReply({ method: "GET", path, status, headers, text: renamed });
  } catch (error) {
    complaint = (error as Error).message.slice(0, 1000);
  }
  return { status, body, complaint };
}

const PLAIN_NAME = /^(?!(?:relationships|links|id|type)$)\w[-\w]*$/;

/** JSON:API restricts field names; ours are open sets. */
function withPlainNames(body: JsonObject): JsonObject {
  const fields = (value: Json | undefined) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, field], at) => [
            PLAIN_NAME.test(name) ? name : `renamed-${at}`,
            field,
          ]),
        )
      : value;
  const resource = (one: Json): Json => {
    if (!isObject(one)) return one;
    const { attributes, relationships, ...rest } = one;
    return {
      ...rest,
      ...(attributes === undefined ? {} : { attributes: fields(attributes) }),
      ...(relationships === undefined ? {} : { relationships: fields(relationships) }),
    } as JsonObject;
  };
  const resources = (value: Json) => (Array.isArray(value) ? value.map(resource) : resource(value));
  return {
    ...body,
    ...(body.data === undefined ? {} : { data: resources(body.data) }),
    ...(body.included === undefined ? {} : { included: resources(body.included) }),
  };
}

/** What ingest normalises, or what other matches of a player change. */
const MAY_CHANGE = new Set(["createdAt", "won", "shardId", "titleID", "patchVersion"]);

/**
 * What in a match, its rosters or their participants is not served as sent; undefined when nothing is.
 * (Resources linked to players may have been replaced by a later match.)
 */
export function changesIn(line: Buffer, id: string, body: JsonObject): string | undefined {
  const content = JSON.parse(line.toString()) as Json;
  const served = resourcesOf(body);
  for (const document of (Array.isArray(content) ? content : [content]) as JsonObject[]) {
    if (!isObject(document.data) || document.data.id !== id) continue;
    const sent = resourcesOf(document);
    const rosters = linked(sent.get(`match/${id}`)!, "rosters");
    const participants = rosters.flatMap((key) => linked(sent.get(key)!, "participants"));
    for (const key of [`match/${id}`, ...rosters, ...participants]) {
      const change = changeOf(sent.get(key)!, served.get(key));
      if (change !== undefined) return `${key}: ${change}`;
    }
  }
  return undefined;
}

function linked(resource: JsonObject, name: string): string[] {
  const relationships = resource.relationships as Record<string, { data: JsonObject[] }>;
  return relationships[name]!.data.map(({ type, id }) => `${type}/${id}`);
}

function changeOf(sent: JsonObject, came: JsonObject | undefined): string | undefined {
  if (came === undefined) return "it is missing";
  const attributes = (came.attributes ?? {}) as JsonObject;
  for (const [name, value] of Object.entries((sent.attributes ?? {}) as JsonObject)) {
    if (MAY_CHANGE.has(name) || (name === "stats" && typeof value === "string")) continue;
    if (!Object.hasOwn(attributes, name)) return `attributes.${name} is missing`;
    if (!Bun.deepEquals(plain(attributes[name]!), plain(value), true)) {
      return `attributes.${name} differs`;
    }
  }
  return undefined;
}

/** JSON does not distinguish minus zero. */
const plain = (value: Json): Json => JSON.parse(JSON.stringify(value));

function resourcesOf(body: JsonObject): Map<string, JsonObject> {
  const all = [body.data, body.included ?? []].flat() as JsonObject[];
  return new Map(all.filter(isObject).map((one) => [`${one.type}/${one.id}`, one]));
}
