/** Other ways to write the same request, and what must then be equal. */

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

/** Rewrites each name and value of the query; what is not valid stays as it is. */
function withQuery(
  request: PlainRequest,
  rewrite: (pairs: string[][]) => string[][],
): PlainRequest {
  const [path = "", ...rest] = request.target.split("?");
  if (rest.length === 0) return request;
  const pairs = rest
    .join("?")
    .split("&")
    .map((pair) => {
      const equals = pair.indexOf("=");
      return equals < 0 ? [pair] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
  const query = rewrite(pairs)
    .map((pair) => pair.join("="))
    .join("&");
  return { ...request, target: `${path}?${query}` };
}

const escapeUnescaped = (text: string) =>
  text.replaceAll(/%[0-9a-fA-F]{2}|[\w.~-]/g, (token) =>
    token.length === 3
      ? token.toLowerCase()
      : `%${token.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );

/** Links repeat how the request was written, ids of errors are new each time, and details quote it. */
function content(reply: RawReply): unknown {
  const { data, included, meta, errors } = JSON.parse(textOf(reply));
  const problems = errors?.map(({ code, source }: { code: string; source?: object }) =>
    JSON.stringify({ code, source }),
  );
  return { status: reply.status, data, included, meta, errors: problems?.toSorted() };
}

const sameContent: Respelling["difference"] = (one, other) =>
  Bun.deepEquals(content(one), content(other), true) ? undefined : "another content";

const sameBytes: Respelling["difference"] = (one, other) => {
  if (one.status !== other.status) return `status ${other.status}`;
  // Errors contain the id of the request.
  if (one.status >= 400) return sameContent(one, other);
  return textOf(one) === textOf(other) ? undefined : "another body";
};

const withEncoding = (name: string): Respelling => ({
  name: `Accept-Encoding: ${name}`,
  write: (request) => withHeader(request, "accept-encoding", name),
  difference: sameBytes,
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
  withEncoding("zstd"),
  withEncoding("identity"),
  {
    name: "more escapes",
    write: (request) =>
      withQuery(request, (pairs) => pairs.map((pair) => pair.map(escapeUnescaped))),
    difference: sameContent,
  },
  {
    name: "another order of parameters",
    write: (request) => withQuery(request, (pairs) => pairs.toReversed()),
    difference(one, other) {
      // With repeated parameters, the first one counts.
      return one.status === 200 ? sameContent(one, other) : undefined;
    },
  },
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
