/** Uploads that fetch cannot express: sent in pieces, read late or never, cut off. */

import { AUTHORIZATION, type Uploaded } from "./admin.ts";
import { Connection } from "./connection.ts";
import { until } from "./state.ts";

export type WireUpload = Awaited<ReturnType<typeof openUpload>>;

/** Longer than the test runner waits. */
const PATIENCE_MS = 1e6;

/** Opens an upload with a chunked body. A response that comes before its end is kept. */
export async function openUpload(adminUrl: string, query = "") {
  const connection = await Connection.open(adminUrl);
  connection.expect(["POST"]);
  const put = (bytes: string | Uint8Array) => connection.write(Buffer.from(bytes));
  await put(
    [
      `POST /ingest${query} HTTP/1.1`,
      `Host: ${new URL(adminUrl).host}`,
      `Authorization: ${AUTHORIZATION.Authorization}`,
      "Transfer-Encoding: chunked",
      "Connection: close",
      "\r\n",
    ].join("\r\n"),
  );
  return {
    socket: { destroy: () => connection.close() },
    /** Settles once the operating system has accepted the bytes. */
    async write(piece: string | Uint8Array) {
      const bytes = Buffer.from(piece);
      if (bytes.length === 0) return;
      const size = Buffer.from(`${bytes.length.toString(16)}\r\n`);
      await put(Buffer.concat([size, bytes, Buffer.from("\r\n")]));
    },
    /** Ends the body. */
    end: () => put("0\r\n\r\n"),
    /** Settles with the complete response, when the server has closed the connection. */
    async reply(): Promise<Uploaded> {
      const [reply] = (await connection.replies(true, PATIENCE_MS)).replies;
      return { status: reply!.status, ...JSON.parse(reply!.body.toString()) };
    },
  };
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
