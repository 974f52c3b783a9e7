// @ts-check
/** The application: plugins in the order in which they see a response, then the routes. */

import compress from "@fastify/compress";
import etag from "@fastify/etag";
import fastify from "fastify";
import { guard } from "./access.js";
import { answerFaults } from "./faults.js";
import { addRoutes } from "./routes.js";

/**
 * @param {import("./database.js").Db} db
 * @param {import("fastify").FastifyBaseLogger} logger
 */
export async function buildApp(db, logger) {
  const app = fastify({
    loggerInstance: logger,
    // Unknown parameters are errors.
    ajv: { customOptions: { removeAdditional: false } },
  });
  answerFaults(app);
  await app.register(etag, { weak: true });
  await app.register(compress, { encodings: ["gzip", "identity"] });
  await guard(app, db);
  addRoutes(app, db);
  return app;
}
