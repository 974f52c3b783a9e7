// @ts-check
/** Sends documents, with sparse fields and an entity tag. */

import { createHash } from "node:crypto";
import { MEDIA_TYPE } from "./faults.js";

/** @typedef {{ attributes?: Record<string, unknown>, relationships?: Record<string, unknown> } & {
 *   type: string }} Resource */

/**
 * The tag excludes links and meta, which contain the current time.
 *
 * @param {import("fastify").FastifyReply} reply
 * @param {Partial<import("ts-japi").DataDocument<any>>} document
 * @param {Map<string, Set<string>> | undefined} fields
 * @param {Record<string, unknown>} rest links and meta
 */
export function sendDocument(reply, { data, included, jsonapi }, fields, rest) {
  if (fields) {
    const resources = [data ?? [], included ?? []].flat();
    for (const resource of resources) trim(/** @type {any} */ (resource), fields);
  }
  const content = JSON.stringify({ data, included });
  const tag = createHash("sha1").update(content).digest("base64url");
  const text = `${content.slice(0, -1)},${JSON.stringify({ ...rest, jsonapi }).slice(1)}`;
  return (
    reply
      .type(MEDIA_TYPE)
      .header("cache-control", "private, no-cache")
      .header("vary", "accept, accept-encoding, authorization")
      .header("etag", `W/"${tag}"`)
      // Bytes, because Fastify adds a charset to texts, which this media type does not have.
      .send(Buffer.from(text))
  );
}

/**
 * Field names cover attributes and relationships. Empty members are removed.
 *
 * @param {Resource} resource
 * @param {Map<string, Set<string>>} fields
 */
function trim(resource, fields) {
  const wanted = fields.get(resource.type);
  if (!wanted) return;
  for (const member of /** @type {const} */ (["attributes", "relationships"])) {
    const entries = Object.entries(resource[member] ?? {}).filter(([name]) => wanted.has(name));
    resource[member] = entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }
}
