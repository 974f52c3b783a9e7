// @ts-check
/** Converts errors to JSON:API error documents. */

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
    return sendFault(reply, status, "The request failed. Retry later.");
  });
  app.setNotFoundHandler((_request, reply) => {
    sendFault(reply, 404, "Unknown URL.");
  });
}

/** @param {import("fastify").FastifyError} error */
function complaint({ message, validation }) {
  const stranger = validation?.[0]?.params.additionalProperty;
  return stranger ? `Unknown parameter "${stranger}"; remove it.` : message;
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
