/** In charge of uploads that fetch cannot express: written piece by piece, read late or never, cut off. */

import { connect, type Socket } from "node:net";
import { AUTHORIZATION, linesIn, type Uploaded } from "./admin.ts";

export interface WireUpload {
  socket: Socket;
  /** Settled once the operating system has taken it. */
  write(piece: string | Uint8Array): Promise<void>;
  /** Says that the body is over. */
  end(): Promise<void>;
  /** The next piece of the reply, as it comes over the wire. */
  next(): Promise<string>;
  /** Reads from now on; settled with the whole reply. */
  reply(): Promise<Uploaded>;
}

/** Opens an upload whose body comes in chunks. Nothing of the reply is read until it is asked for. */
export async function openUpload(adminUrl: string, query = ""): Promise<WireUpload> {
  const { hostname, port, host } = new URL(adminUrl);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  // A test may be over before the other side has noticed.
  socket.on("error", () => {});
  socket.pause();
  const received: Buffer[] = [];
  const put = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      if (socket.write(bytes)) resolve();
      else socket.once("drain", resolve);
    });
  await put(
    [
      `POST /ingest${query} HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: ${AUTHORIZATION.Authorization}`,
      "Transfer-Encoding: chunked",
      "Connection: close",
      "\r\n",
    ].join("\r\n"),
  );
  return {
    socket,
    async write(piece) {
      const bytes = Buffer.from(piece);
      if (bytes.length === 0) return;
      await put(
        Buffer.concat([
          Buffer.from(`${bytes.length.toString(16)}\r\n`),
          bytes,
          Buffer.from("\r\n"),
        ]),
      );
    },
    end: () => put("0\r\n\r\n"),
    async next() {
      const piece = await new Promise<Buffer>((resolve) => {
        socket.once("data", resolve);
        socket.resume();
      });
      socket.pause();
      received.push(piece);
      return piece.toString();
    },
    async reply() {
      for await (const piece of socket) received.push(piece);
      return readReply(Buffer.concat(received));
    },
  };
}

function readReply(received: Buffer): Uploaded {
  const end = received.indexOf("\r\n\r\n");
  const head = received.toString("latin1", 0, end);
  const body = received.subarray(end + 4);
  const text = /transfer-encoding: chunked/i.test(head) ? unchunked(body) : body;
  return { status: Number(head.split(" ")[1]), ...linesIn(text.toString()) };
}

function unchunked(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    if (!(size > 0)) break;
    pieces.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(pieces);
}
