/** Sends requests that fetch cannot express, byte for byte as written. */

import { Connection } from "./connection.ts";

/** Sends these lines as a request head on a new connection and reads until the server closes it. */
export async function exchange(url: string, lines: readonly string[], asksToClose = true) {
  return exchangeOn(await Connection.open(url), asksToClose ? closing(lines) : lines);
}

/**
 * Sends requests on connections of their own in one go, so that the server reads all of them in one turn of its event
 * loop.
 */
export async function exchangeAtOnce(url: string, requests: readonly (readonly string[])[]) {
  const connections = await Promise.all(
    requests.map(async () => {
      const connection = new Connection(url);
      // A response on it shows that the server has accepted it.
      await connection.ask("/healthz", {});
      return connection;
    }),
  );
  return Promise.all(
    requests.map((lines, index) => exchangeOn(connections[index]!, closing(lines))),
  );
}

const closing = (lines: readonly string[]) => [...lines, "Connection: close"];

async function exchangeOn(connection: Connection, lines: readonly string[]) {
  connection.expect([lines[0]!.split(" ")[0]!]);
  void connection.write(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`));
  const { replies } = await connection.replies(true);
  connection.close();
  if (!replies[0]) throw new Error(`no response to ${lines[0]}`);
  const { status, headers, body } = replies[0];
  return { status, headers, body: body.toString() };
}
