/** Sends requests that fetch cannot express, byte for byte as written. */

import { connect } from "node:net";

export interface WireReply {
  status: number;
  /** By lower-case name. */
  headers: Map<string, string>;
  body: string;
}

/** Sends these lines as a request head on a new connection and reads the response to its end. */
export async function exchange(
  url: string,
  lines: readonly string[],
  asksToClose = true,
): Promise<WireReply> {
  const { hostname, port } = new URL(url);
  const received = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => resolve(Buffer.concat(chunks)));
    socket.on("error", reject);
    const head = asksToClose ? [...lines, "Connection: close"] : lines;
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
  });
  return readReply(received);
}

function readReply(received: Buffer): WireReply {
  const end = received.indexOf("\r\n\r\n");
  const [statusLine = "", ...fields] = received.subarray(0, end).toString().split("\r\n");
  const headers = fields.map((field): [string, string] => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: new Map(headers),
    body: received.subarray(end + 4).toString(),
  };
}
