// @ts-check
/** Checks the API key, the media type and the rate limit. */

import { createHash } from "node:crypto";
import rateLimit from "@fastify/rate-limit";
import { Fault, MEDIA_TYPE } from "./faults.js";

/** @typedef {{ hash: string, requests_a_minute: number }} Caller */

/** How long keys are cached, so that revoked keys stop working soon. */
const KEY_LIFE_MS = 10_000;

/**
 * @param {import("fastify").FastifyInstance} app
 * @param {import("./database.js").Db} db
 */
export async function guard(app, db) {
  const findCaller = rememberingCallers(db);
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request, reply) => {
    const caller = await findCaller(request.headers.authorization);
    if (!caller) {
      reply.header("www-authenticate", "Bearer");
      throw new Fault(401, 'Send "Authorization: Bearer <API_KEY>" with a valid key.');
    }
    if (!accepts(request.headers.accept)) {
      throw new Fault(406, `Send the header "Accept: ${MEDIA_TYPE}".`);
    }
    request.setDecorator("caller", caller);
  });
  /** @param {import("fastify").FastifyRequest} request */
  const callerOf = (request) => /** @type {Caller} */ (request.getDecorator("caller"));
  await app.register(rateLimit, {
    timeWindow: 60_000,
    keyGenerator: (request) => callerOf(request).hash,
    max: (request) => callerOf(request).requests_a_minute,
  });
}

/** @param {import("./database.js").Db} db */
function rememberingCallers(db) {
  /** @type {Map<string, { caller: Caller, until: number }>} */
  const known = new Map();

  /**
   * @param {string | undefined} header
   * @returns {Promise<Caller | undefined>}
   */
  return async (header) => {
    const key = header && /^Bearer +(\S+)$/i.exec(header)?.[1];
    if (!key) return undefined;
    const hash = createHash("sha256").update(key).digest("hex");
    const remembered = known.get(hash);
    if (remembered && remembered.until > Date.now()) return remembered.caller;
    const caller = await db
      .selectFrom("api_keys")
      .select(["hash", "requests_a_minute"])
      .where("hash", "=", hash)
      .executeTakeFirst();
    if (caller) known.set(hash, { caller, until: Date.now() + KEY_LIFE_MS });
    else known.delete(hash);
    return caller;
  };
}

/** @param {string | undefined} header */
function accepts(header = "") {
  return header === MEDIA_TYPE || header.split(",").some((range) => range.trim() === MEDIA_TYPE);
}
