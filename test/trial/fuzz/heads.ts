/** Generates hostile request heads: methods, versions, hosts, credentials and other header fields. */

import type { Chance } from "../../support/chance.ts";

export interface Keys {
  right: string;
  /** A key that may send one request a minute. */
  slow: string;
}

/** Anything the grammar allows in a field value: no control characters. */
function oddValue(chance: Chance): string {
  switch (chance.below(6)) {
    case 0:
      return Array.from({ length: chance.below(60) }, () =>
        String.fromCharCode(chance.pick([chance.between(0x20, 0x7e), chance.between(0x80, 0xff)])),
      ).join("");
    case 1:
      return chance.text(chance.between(1, 40), 'abc,;="\\/*q01. ');
    case 2:
      return "a".repeat(chance.pick([1, 500, 4000, 9000]));
    case 3:
      return ",".repeat(chance.between(1, 2000));
    case 4:
      return '"'.repeat(chance.between(1, 200));
    default:
      return chance.pick([
        "",
        "*",
        "*/*",
        "null",
        "-1",
        "%00",
        "\t",
        "a,,b",
        "W/",
        "=?utf-8?q?x?=",
      ]);
  }
}

export function authorization(chance: Chance, keys: Keys): string[] {
  const { right, slow } = keys;
  switch (chance.below(6)) {
    case 0:
      return [];
    case 1:
      return [`Authorization: Bearer ${slow}`];
    case 2:
      return [
        `Authorization: ${chance.pick([
          "Bearer",
          right,
          `Basic ${right}`,
          chance.mistyped(`bearer   ${right}`, "x _"),
          `Bearer ${right}, Bearer ${right}`,
          `Bearer ${"k".repeat(5000)}`,
          `Bearer mb_${"0".repeat(40)}`,
        ])}`,
      ];
    case 3:
      return [`Authorization: ${oddValue(chance)}`];
    case 4:
      return [`Authorization: Bearer ${right}`, `authorization: ${oddValue(chance)}`];
    default:
      return [`Authorization: Bearer ${right}`];
  }
}

export const host = (chance: Chance): string =>
  chance.oneIn(4)
    ? chance.pick(["", "ü", "x:99999", "[zz]", "u:p@x", "%41", "a".repeat(300), "<script>"])
    : chance.mistyped(
        chance.pick(["localhost", "x:80", "[::1]:80", "1.2.3.4"]),
        "x9:/@[]%,.-?# \\<",
      );

const FIELDS = [
  "Accept-Encoding",
  "Accept-Language",
  "Cache-Control",
  "Connection",
  "Content-Encoding",
  "Content-Type",
  "Cookie",
  "Forwarded",
  "If-Match",
  "If-Modified-Since",
  "If-None-Match",
  "If-Range",
  "If-Unmodified-Since",
  "Origin",
  "Range",
  "Referer",
  "TE",
  "User-Agent",
  "Via",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-HTTP-Method-Override",
  "X-Request-Id",
  "__proto__",
  "constructor",
];

function acceptEncoding(chance: Chance): string {
  const codings = Array.from({ length: chance.between(1, 3) }, () => {
    const coding = chance.pick(["gzip", "zstd", "br", "identity", "*"]);
    return coding + chance.pick(["", ";q=0", ";q=0.5", ";q=2"]);
  });
  return codings.join(", ");
}

const KNOWN_VALUES: Record<string, readonly string[]> = {
  "If-None-Match": ["*", '""', 'W/"x"', '"a", "b"', '"'.repeat(50), '"x-gzip"'],
  Connection: ["keep-alive", "Keep-Alive, x", "TE, trailers", "close"],
  Forwarded: ["for=1.2.3.4;host=evil.example;proto=https"],
  "X-Forwarded-Host": ["evil.example"],
  "X-Forwarded-Proto": ["https"],
  "X-Forwarded-For": ["1.2.3.4, 5.6.7.8"],
  Range: ["bytes=0-0", "bytes=-1", "bytes=5-1", "bytes=0-99999999999"],
};

/** A few more fields, each well-formed. */
export function fields(chance: Chance): string[] {
  return Array.from({ length: chance.pick([0, 0, 1, 1, 2, 5, 20]) }, () => {
    const name = chance.pick(FIELDS);
    const usual = name === "Accept-Encoding" ? [acceptEncoding(chance)] : KNOWN_VALUES[name];
    const value =
      usual && (name === "Connection" || chance.oneIn(2)) ? chance.pick(usual) : oddValue(chance);
    return `${name}: ${value}`;
  });
}

/** Too many fields, or too large ones. */
export function oversizeFields(chance: Chance): string[] {
  return chance.pick([
    () => [`X-Large: ${"a".repeat(chance.pick([15_000, 16_384, 17_000, 70_000, 300_000]))}`],
    () => Array.from({ length: chance.pick([150, 199, 200, 250, 3000]) }, (_, at) => `X-${at}: y`),
    () => [`${"X".repeat(chance.pick([1000, 17_000]))}: y`],
    () => [`Cookie: ${"a=b; ".repeat(chance.pick([1000, 4000]))}`],
  ])();
}

/** A field that mostly violates the grammar. */
export const brokenField = (chance: Chance): string =>
  chance.oneIn(4)
    ? chance.pick(["Content-Length: 5\r\nContent-Length: 6", "X: a\r\n folded", "Host: second"])
    : chance.mistyped("X: a", " :;\0\u0001\r\n\u00fc()");

export const METHODS = [
  "HEAD",
  "OPTIONS",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "QUERY",
  "PURGE",
  "M-SEARCH",
];

/** Hardly ever one that the runtime knows. */
export const unknownMethod = (chance: Chance): string =>
  chance.oneIn(4)
    ? chance.pick(["BREW", "", "A".repeat(9000)])
    : chance.mistyped(chance.pick(["get", "Get", "GET"]), "GET@\0ü");

export const version = (chance: Chance): string =>
  chance.oneIn(3)
    ? chance.pick(["HTTP/1.0", "HTTP/0.9", "HTTP/1.2", "HTTP/2", "HTTP/3", "HTTP", ""])
    : chance.mistyped("HTTP/1.1", "HTPXShttp/.-0123");
