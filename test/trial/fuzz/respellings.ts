/** Other ways to send the same request, and what must then be equal. How queries are written is up to the grammar. */

import type { Chance } from "../../support/chance.ts";
import type { RawReply } from "../../support/connection.ts";
import type { PlainRequest } from "./request-text.ts";
import { textOf } from "./wire.ts";

export interface Respelling {
  name: string;
  write(request: PlainRequest, reply: RawReply, host: string): PlainRequest;
  /** What differs although it must not; undefined if nothing does. */
  difference(one: RawReply, other: RawReply): string | undefined;
}

const withHeader = (request: PlainRequest, name: string, value: string): PlainRequest => ({
  ...request,
  headers: [...request.headers.filter(([other]) => other !== name), [name, value]],
});

/** Ids of errors are new each time, and details quote the request. */
const problemsIn = (reply: RawReply): string[] =>
  (JSON.parse(textOf(reply)).errors as { code: string; source?: object }[])
    .map(({ code, source }) => JSON.stringify({ code, source }))
    .sort();

const sameBytes: Respelling["difference"] = (one, other) => {
  if (one.status !== other.status) return `status ${other.status}`;
  if (one.status < 400) return textOf(one) === textOf(other) ? undefined : "another body";
  return Bun.deepEquals(problemsIn(one), problemsIn(other)) ? undefined : "other problems";
};

const withEncoding = (name: string): Respelling => ({
  name: `Accept-Encoding: ${name}`,
  write: (request) => withHeader(request, "accept-encoding", name),
  difference: (one, other) => {
    const sent = other.headers.get("content-encoding") ?? "identity";
    if (sent !== name) return `it is sent as ${sent}`;
    return sameBytes(one, other);
  },
});

const RESPELLINGS: readonly Respelling[] = [
  {
    name: "HEAD",
    write: (request) => ({ ...request, method: "HEAD" }),
    difference(one, other) {
      if (one.status !== other.status) return `status ${other.status}`;
      if (other.body.length > 0) return "there is a body";
      const name = ["etag", "content-type", "content-encoding", "cache-control", "vary"].find(
        (header) => one.headers.get(header) !== other.headers.get(header),
      );
      return name && `the header ${name} is ${other.headers.get(name)}`;
    },
  },
  {
    name: "If-None-Match",
    write: (request, { headers }) =>
      withHeader(request, "if-none-match", headers.get("etag") ?? '"none"'),
    difference(one, other) {
      if (!one.headers.has("etag")) return sameBytes(one, other);
      return other.status === 304 && other.body.length === 0 ? undefined : `status ${other.status}`;
    },
  },
  withEncoding("gzip"),
  withEncoding("identity"),
  {
    name: "upper case names of headers",
    write: (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [name.toUpperCase(), `\t ${value}  `]),
    }),
    difference: sameBytes,
  },
  {
    name: "absolute form",
    write: (request, _reply, host) => ({ ...request, target: `http://${host}${request.target}` }),
    difference: sameBytes,
  },
  { name: "again", write: (request) => request, difference: sameBytes },
];

export const someRespelling = (chance: Chance): Respelling => chance.pick(RESPELLINGS);
