/** Generates hostile requests: the bytes, how they are split, and what is expected afterwards. */

import type { Chance } from "../../support/chance.ts";
import { brokenField, fields, host, oversizeFields, unknownMethod, version } from "./heads.ts";
import { plainRequest } from "./request-grammar.ts";

export interface HostileRequest {
  /** What is wrong with the request, for messages. */
  kind: string;
  bytes: Buffer;
  /** The methods of the requests in `bytes`, in order. */
  methods: readonly string[];
  /** The target, when it is a single well-formed request. */
  target?: string;
  /**
   * "keep": each request gets a response, and the connection can be reused. "drop": the state of the
   * connection is undefined afterwards. "end": the client sends nothing more, and the server closes it.
   */
  afterwards: "keep" | "drop" | "end";
  /** Whether the connection may end without a response, or in the middle of one. */
  mayBeSilent?: true;
}

/** `cursors` are of real responses. Keys and hosts are {KEY} and {HOST}, which the caller fills in. */
type Maker = (chance: Chance, cursors: readonly string[]) => Omit<HostileRequest, "kind">;

const bytesOf = (text: string) => Buffer.from(text, "latin1");
const headOf = (lines: readonly string[]) => `${lines.join("\r\n")}\r\n\r\n`;

/** A request whose lines are changed: unless the connection is to end, they are those of one well-formed request. */
const changed =
  (
    afterwards: HostileRequest["afterwards"],
    change: (lines: string[], chance: Chance, request: ReturnType<typeof plainRequest>) => void,
  ): Maker =>
  (chance, cursors) => {
    const request = plainRequest(chance, cursors);
    const { method, target, lines } = request;
    change(lines, chance, request);
    const sent = { bytes: bytesOf(headOf(lines)), methods: [method], afterwards };
    return afterwards === "end" ? sent : { ...sent, target };
  };

const strangeTarget = changed("keep", () => {});

const strangeFields = changed("drop", (lines, chance) => lines.push(...fields(chance)));

const strangeHost = changed("keep", (lines, chance) => {
  lines[1] = `Host: ${host(chance)}`;
  if (chance.oneIn(10)) lines.splice(1, 1);
});

/** A condition: the caller has the record already, or claims to. */
const conditional = changed("keep", (lines, chance) => {
  lines.push(`If-None-Match: ${chance.pick(["*", '"x", *', 'W/"x"', '"x"', "x", '"', ""])}`);
});

const untargeted =
  (make: Maker): Maker =>
  (chance, cursors) => {
    const { target: _, ...request } = make(chance, cursors);
    return request;
  };

const oversize = untargeted(
  changed("drop", (lines, chance) => lines.push(...oversizeFields(chance))),
);

const strangeField = changed("end", (lines, chance) => {
  lines.splice(chance.between(1, lines.length), 0, brokenField(chance));
});

const strangeMethod: Maker = (chance, cursors) => ({
  ...changed("end", (lines, _, { target }) => {
    lines[0] = `${unknownMethod(chance)} ${target} HTTP/1.1`;
  })(chance, cursors),
  methods: [],
  mayBeSilent: true,
});

const strangeVersion = changed("end", (lines, chance, { method, target }) => {
  lines[0] = `${method} ${target} ${version(chance)}`;
});

const strangeLine = changed("end", (lines, chance, { method, target }) => {
  lines[0] = chance.pick([
    `${method}  ${target}  HTTP/1.1`,
    ` ${method} ${target} HTTP/1.1`,
    `${method}\t${target}\tHTTP/1.1`,
    `${method} * HTTP/1.1`,
    `${method} HTTP/1.1`,
    `${method} shards HTTP/1.1`,
    `\r\n${method} ${target} HTTP/1.1`,
    `${method} ftp://elsewhere${target} HTTP/1.1`,
    `${method} ${chance.mistyped(`${target} HTTP/1.1`, " \t\0\u0001\\")}`,
  ]);
});

const absoluteForm = untargeted(
  changed("drop", (lines, chance, { method, target }) => {
    const origins = ["http://elsewhere", "https://elsewhere:1", "http://u:p@x", "http://"];
    lines[0] = `${method} ${chance.pick(origins)}${target} HTTP/1.1`;
  }),
);

const BODIES: readonly [fields: readonly string[], body: string][] = [
  [["Content-Length: 5"], "hello"],
  [["Content-Length: 5"], "hel"],
  [["Content-Length: 3"], "hello"],
  [["Content-Length: 70000"], "x".repeat(70_000)],
  [["Content-Length: 0"], ""],
  [["Content-Length: -1"], ""],
  [["Content-Length: abc"], ""],
  [["Content-Length: "], ""],
  [["Content-Length: 1e3"], ""],
  [["Content-Length: 99999999999"], ""],
  [["Content-Length: 99999999999999999999999"], ""],
  [["Content-Length: 0", "Content-Length: 0"], ""],
  [["Content-Length: 0", "Content-Length: 5"], "hello"],
  [["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "5;ext=1\r\nhello\r\n0\r\nTrailer: x\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "zz\r\nhello\r\n0\r\n\r\n"],
  [["Transfer-Encoding: chunked"], "ffffffffffffffff\r\nhello"],
  [["Transfer-Encoding: chunked"], "5\r\nhel"],
  [["Transfer-Encoding: chunked", "Content-Length: 5"], "0\r\n\r\n"],
  [["Transfer-Encoding: gzip"], "x"],
  [["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
  [["Transfer-Encoding: chunked, chunked"], "0\r\n\r\n"],
  [["Transfer-Encoding: identity"], ""],
  [["Transfer-Encoding: xchunked"], ""],
  [["Transfer-Encoding : chunked"], "0\r\n\r\n"],
  [["Expect: 100-continue"], ""],
  [["Expect: 100-continue", "Content-Length: 5"], "hello"],
  [["Expect: something"], ""],
  [["Connection: close"], ""],
  [["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"], ""],
  [["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMA"], ""],
];

const strangeBody: Maker = (chance, cursors) => {
  const { target, lines } = plainRequest(chance, cursors);
  const method = chance.pick(["GET", "POST"]);
  lines[0] = `${method} ${target} HTTP/1.1`;
  const [more, body] = chance.pick(BODIES);
  lines.push(...more);
  return { bytes: bytesOf(headOf(lines) + body), methods: [method], afterwards: "end" };
};

const pipelined: Maker = (chance, cursors) => {
  const all = Array.from({ length: chance.between(2, 8) }, () => plainRequest(chance, cursors));
  // What follows a request for a tunnel belongs to the tunnel.
  const tunnel = all.findIndex(({ method }) => method === "CONNECT");
  const requests = tunnel === -1 ? all : all.slice(0, tunnel + 1);
  return {
    bytes: bytesOf(requests.map(({ lines }) => headOf(lines)).join("")),
    methods: requests.map(({ method }) => method),
    afterwards: "keep",
  };
};

/** A malformed request among others: those before it get responses, those after it do not. */
const pipelinedWithNoise: Maker = (chance, cursors) => {
  const before = plainRequest(chance, cursors);
  const after = plainRequest(chance, cursors);
  const noise = chance.pick([
    "BAD\r\n\r\n",
    "GET / HTTP/9\r\n\r\n",
    "\u0000\r\n\r\n",
    "GET\r\n\r\n",
  ]);
  return {
    bytes: bytesOf(headOf(before.lines) + noise + headOf(after.lines)),
    methods: [before.method, "GET", after.method],
    afterwards: "end",
  };
};

const cutOff: Maker = (chance, cursors) => {
  const { method, lines } = plainRequest(chance, cursors);
  const whole = bytesOf(headOf(lines));
  return {
    bytes: whole.subarray(0, chance.between(1, whole.length - 1)),
    methods: [method],
    afterwards: "end",
    mayBeSilent: true,
  };
};

const noise: Maker = (chance) => ({
  bytes: chance.pick([
    () => chance.bytes(chance.between(1, 2000)),
    () => Buffer.from("\r\n".repeat(chance.between(1, 500))),
    () => Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    () => Buffer.from("16030100a5010000a10303", "hex"),
    () => Buffer.concat([Buffer.from("GET "), chance.bytes(300), Buffer.from(" HTTP/1.1\r\n\r\n")]),
    () => Buffer.from("GET /status HTTP/1.1\nHost: x\n\n"),
    () => Buffer.from('{"jsonrpc":"2.0"}\r\n\r\n'),
  ])(),
  methods: [],
  afterwards: "end",
  mayBeSilent: true,
});

const KINDS: readonly { kind: string; weight: number; make: Maker }[] = [
  { kind: "strange target", weight: 45, make: strangeTarget },
  { kind: "strange fields", weight: 16, make: strangeFields },
  { kind: "conditional", weight: 2, make: conditional },
  { kind: "strange host", weight: 4, make: strangeHost },
  { kind: "oversize fields", weight: 2, make: oversize },
  { kind: "broken field", weight: 3, make: strangeField },
  { kind: "unknown method", weight: 2, make: strangeMethod },
  { kind: "strange version", weight: 2, make: strangeVersion },
  { kind: "strange line", weight: 2, make: strangeLine },
  { kind: "absolute form", weight: 2, make: absoluteForm },
  { kind: "strange body", weight: 6, make: strangeBody },
  { kind: "pipelined", weight: 6, make: pipelined },
  { kind: "pipelined with noise", weight: 2, make: pipelinedWithNoise },
  { kind: "cut off", weight: 4, make: cutOff },
  { kind: "noise", weight: 4, make: noise },
];

/**
 * The runtime refuses larger heads and closes the connection without reading on; unread bytes then
 * reset the connection, and responses in transit are lost.
 */
const OVERSIZE = 16 * 1024;

export function hostileRequestBy(chance: Chance, cursors: readonly string[]): HostileRequest {
  const { kind, make } = chance.weigh(KINDS);
  const request = make(chance, cursors);
  return { kind, ...request, ...(request.bytes.length > OVERSIZE ? { mayBeSilent: true } : {}) };
}
