/** docs/errors.md: every code and every refusal of the HTTP server, and no other. */

import { describe, expect, test } from "bun:test";
import { ERRORS } from "../../src/domain/errors.ts";
import { Connection, type Exchange } from "../support/connection.ts";
import { shared } from "../support/shared.ts";
import { startWorld } from "../support/world.ts";
import { refusals, rowsOf } from "./refusals.ts";

const codes = () => rowsOf("Code", "Status", "Meaning");
const codeOf = (cell: string | undefined) => cell!.replaceAll("`", "");

test("every code is listed with its status, in the order of the code, and no other", () => {
  expect(codes().map(([code, status]) => [codeOf(code), Number(status)])).toEqual(
    Object.entries(ERRORS).map(([code, { status }]) => [code, status]),
  );
});

test("every code has a meaning and something to do", () => {
  for (const [code, , meaning, remedy] of codes()) {
    expect([code, meaning]).toEqual([code, expect.stringMatching(/^[A-Z`].{15,}\.$/)]);
    expect([code, remedy]).toEqual([code, expect.stringMatching(/^[A-Z].{4,}[.)]$/)]);
  }
});

describe("the HTTP server itself", () => {
  const world = shared(() => startWorld());

  async function send(text: string, isAll = false): Promise<Exchange> {
    const connection = await Connection.open(world.url);
    connection.expect(["GET"]);
    await connection.write(Buffer.from(text, "latin1"));
    if (isAll) connection.finish();
    const exchange = await connection.replies(isAll);
    connection.close();
    return exchange;
  }

  const HOST = "Host: x\r\n";
  const status = (fields: string, line = "GET /status HTTP/1.1") =>
    `${line}\r\n${HOST}${fields}\r\n`;
  /** A request head of exactly this many bytes. */
  const headOf = (bytes: number) =>
    status(`X: ${"a".repeat(bytes - status("X: \r\n").length)}\r\n`);
  const headers = (count: number) => status("X: y\r\n".repeat(count - 1));
  const body = (method: string, bytes: number) =>
    status(`Content-Length: ${bytes}\r\n`, `${method} /status HTTP/1.1`);

  const PROVOKED: Record<string, string[]> = {
    400: [
      "GET /status HTTP/1.1\r\n\r\n",
      status("X Y: z\r\n"),
      status("X: a\u0000b\r\n"),
      status("no colon\r\n"),
      status("Content-Length: abc\r\n"),
      status("Content-Length: 1\r\nContent-Length: 2\r\n"),
      status("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
      status("Transfer-Encoding: gzip\r\n"),
      status("", "GET status HTTP/1.1"),
      status("", "GET ftp://x/status HTTP/1.1"),
    ],
    413: [body("POST", 65537), body("DELETE", 65537)],
    431: [headOf(16385), headers(199)],
    505: [
      status("", "GET /status HTTP/2"),
      status("", "GET /status"),
      status("", "GET /a b HTTP/1.1"),
      status("", "GET /a\u0001b HTTP/1.1"),
    ],
  };

  test.each(
    Object.entries(PROVOKED).flatMap(([expected, texts]) =>
      texts.map((text) => [expected, text.slice(0, 60), text] as const),
    ),
  )("sends %s, empty and without an id, for %j", async (expected, _start, text) => {
    const { replies, isHung } = await send(text, true);
    expect(isHung).toBeFalse();
    expect(replies.map(({ status: one }) => one)).toEqual([Number(expected)]);
    expect(replies[0]!.headers.has("x-request-id")).toBeFalse();
    expect(replies[0]!.headers.get("connection")).toBe("close");
    expect(replies[0]!.body).toHaveLength(0);
  });

  test.each([
    ["a head of just the longest length", headOf(16384), 200],
    ["just as many headers as there may be", headers(198), 200],
    ["a body of just the greatest length", body("POST", 65536), 405],
    ["a body of a GET request", body("GET", 65537), 200],
    ["HTTP/1.0 without a host", "GET /status HTTP/1.0\r\n\r\n", 200],
    ["Expect and Upgrade", status("Expect: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n"), 200],
  ])("accepts %s", async (_name, text, expected) => {
    const { replies } = await send(text);
    expect(replies.map(({ status: one }) => one)).toEqual([expected]);
    expect(replies[0]!.headers.has("x-request-id")).toBeTrue();
  });

  test.each([
    ["a method that HTTP does not know", status("", "get /status HTTP/1.1"), false],
    ["a head that is cut off", "GET /status HTTP/1.1\r\nHos", true],
  ])("ends the connection without a response after %s", async (_name, text, isAll) => {
    const { replies, rest, isClosed, isHung } = await send(text, isAll);
    expect({ replies, rest: rest.length, isClosed, isHung }).toEqual({
      replies: [],
      rest: 0,
      isClosed: true,
      isHung: false,
    });
  });

  test("both ways to get no response are listed", () => {
    const silent = refusals().filter(({ status: one }) => one === "no response");
    expect(silent.map(({ when }) => when)).toEqual([
      expect.stringContaining("method"),
      expect.stringContaining("before the head of a request is complete"),
    ]);
  });
});
