/** Secrets and signatures of webhooks, as Standard Webhooks (standardwebhooks.com) describes them. */

import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export const makeSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/** The headers of a message. During a rotation there are several secrets, and any of the signatures may be verified. */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  now: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets
      .map((secret) => `v1,${signature(secret, `${id}.${timestamp}.${body}`)}`)
      .join(" "),
  };
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return createHmac("sha256", key).update(signed).digest("base64");
}
