/** Sends requests that fetch cannot express, byte for byte as written. */

import { connect, type Socket } from "node:net";

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
  const socket = connect(Number(port), hostname);
  const received = receivedFrom(socket);
  const head = asksToClose ? [...lines, "Connection: close"] : lines;
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  return readReply(await received);
}

/**
 * Sends requests on connections of their own in one go, so that the server reads all of them in one turn of its event
 * loop.
 */
export async function exchangeAtOnce(
  url: string,
  requests: readonly (readonly string[])[],
): Promise<WireReply[]> {
  const sockets = await Promise.all(requests.map(() => acceptedConnection(url)));
  return Promise.all(
    requests.map((lines, index) => {
      const received = receivedFrom(sockets[index]!);
      sockets[index]!.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
      return received.then(readReply);
    }),
  );
}

/** A response on it shows that the server has accepted it. */
async function acceptedConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve, reject) => {
    socket.once("data", resolve);
    socket.once("error", reject);
    socket.write("GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n");
  });
  return socket;
}

function receivedFrom(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => resolve(Buffer.concat(chunks)));
    socket.on("error", reject);
  });
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
