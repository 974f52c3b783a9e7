/** Uploads that fetch cannot express: sent in pieces, read late or never, cut off. */

import { connect, type Socket } from "node:net";
import { AUTHORIZATION, type Uploaded } from "./admin.ts";
import { until } from "./state.ts";

export interface WireUpload {
  socket: Socket;
  /** Settles once the operating system has accepted the bytes. */
  write(piece: string | Uint8Array): Promise<void>;
  /** Ends the body. */
  end(): Promise<void>;
  /** Starts reading; settles with the complete response. */
  reply(): Promise<Uploaded>;
}

/** Opens an upload with a chunked body. The response is not read until `reply` is called. */
export async function openUpload(adminUrl: string, query = ""): Promise<WireUpload> {
  const { hostname, port, host } = new URL(adminUrl);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  // A test may end before the server has noticed.
  socket.on("error", () => {});
  // Read from the start: a response that comes before the end of the upload would be lost with the connection.
  const received: Buffer[] = [];
  socket.on("data", (piece: Buffer) => received.push(piece));
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  const put = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      if (socket.write(bytes)) return resolve();
      socket.once("drain", resolve);
      closed.then(resolve);
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
    async reply() {
      await closed;
      return readReply(Buffer.concat(received));
    },
  };
}

function readReply(received: Buffer): Uploaded {
  const end = received.indexOf("\r\n\r\n");
  const status = Number(received.toString("latin1", 0, end).split(" ")[1]);
  return { status, ...JSON.parse(received.toString("utf8", end + 4)) };
}

/** A line of half a mebibyte: spaces between two members make a document longer without changing it. */
export function padded(line: string): string {
  return `${line.slice(0, -1)}${" ".repeat(512 * 1024)}}\n`;
}

/** Writes documents until the server stops reading; `sending` settles once all are written. */
export async function sendUntilHeld(upload: WireUpload, documents: readonly string[]) {
  let sent = 0;
  const sending = (async () => {
    for (const document of documents) {
      await upload.write(document);
      sent += 1;
    }
  })();
  await standingStill(() => sent, documents.length);
  return { sent, sending };
}

/**
 * Settles when a count has not grown for as long as the whole rest would have taken at the pace so far: what is only
 * slow, as on a busy machine, has grown by then.
 */
async function standingStill(count: () => number, total: number): Promise<void> {
  let last = 0;
  const began = performance.now();
  let since = began;
  await until("the count stands still", () => {
    const now = performance.now();
    if (count() > last) {
      last = count();
      since = now;
    }
    if (last === total) return true;
    const rest = ((since - began) / last) * (total - last);
    return last > 0 && now - since > Math.max(250, rest);
  });
}
