/**
 * The ceiling: the fastest possible server on this runtime. It sends the same bytes for every
 * request and reads nothing.
 *
 *   bun bench/ceiling.ts REPLY.json
 */

import { readFileSync } from "node:fs";

export interface ConstantReply {
  status: number;
  headers: Record<string, string>;
  /** Base64, because most bodies are gzip. */
  body: string;
}

const file = process.argv[2];
if (file === undefined) {
  process.stderr.write("usage: bun bench/ceiling.ts REPLY.json\n");
  process.exit(2);
}
const { status, headers, body } = JSON.parse(readFileSync(file, "utf8")) as ConstantReply;
const bytes = body === "" ? null : Buffer.from(body, "base64");

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch() {
    return new Response(bytes, { status, headers });
  },
});
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`);
