// @ts-check
/** In charge of errors: what callers may be told, as JSON:API error documents. */

import { STATUS_CODES } from "node:http";

export const MEDIA_TYPE = "application/vnd.api+json";

export class Fault extends Error {
  /**
   * @param {number} statusCode
   * @param {string} detail
   */
  constructor(statusCode, detail) {
    super(detail);
    this.statusCode = statusCode;
  }
}

/** @param {import("fastify").FastifyInstance} app */
export function answerFaults(app) {
  app.setErrorHandler((thrown, request, reply) => {
    const error = /** @type {import("fastify").FastifyError} */ (thrown);
    const status = error.validation ? 400 : (error.statusCode ?? 500);
    if (status < 500) return sendFault(reply, status, complaint(error));
    request.log.error(error);
    return sendFault(reply, status, "The request failed. Try again later.");
  });
  app.setNotFoundHandler((_request, reply) => {
    sendFault(reply, 404, "Nothing is served at this address.");
  });
}

/** @param {import("fastify").FastifyError} error */
function complaint({ message, validation }) {
  const stranger = validation?.[0]?.params.additionalProperty;
  return stranger ? `There is no parameter "${stranger}" here: leave it out.` : message;
}

/**
 * @param {import("fastify").FastifyReply} reply
 * @param {number} status
 * @param {string} detail
 */
function sendFault(reply, status, detail) {
  const error = { id: reply.request.id, status: `${status}`, title: STATUS_CODES[status], detail };
  reply
    .code(status)
    .type(MEDIA_TYPE)
    .header("cache-control", "no-store")
    .send(Buffer.from(JSON.stringify({ errors: [error], jsonapi: { version: "1.0" } })));
}
