/** Clients that are slow or stuck. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { TOKEN } from "../../../support/admin.ts";
import { begin, type FaultKind } from "../kind.ts";
import type { Scene } from "../scene.ts";
import { missesNothing } from "./disks.ts";

const stuck: FaultKind = {
  name: "stuck-clients",
  what: "clients that send a byte at a time, never read, send half an upload or never finish a request",
  async run(scene) {
    const { random } = scene;
    await begin(scene);
    const sockets = Array.from({ length: random.between(10, 60) }, () =>
      random.pick([dribbling, neverReading, halfUploading, silent])(scene),
    );
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    scene.note(`${sockets.length} clients`);
    scene.hit();
    // Two uploads are stored at a time, and half of one may be waiting.
    await scene.send(scene.ledger.open);
    await missesNothing(scene);
    for (const socket of sockets) socket.destroy();
    await scene.sendOpen();
  },
};

function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  return socket;
}

const request = ({ target: { key } }: Scene, path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nAccept: application/vnd.api+json\r\n\r\n`;

/** Sends a request byte by byte. */
function dribbling(scene: Scene): Socket {
  const socket = open(scene.target.url);
  const text = request(scene, "/shards/na/matches");
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length]!), 20);
  socket.on("close", () => clearInterval(timer));
  return socket;
}

/** Asks for many pages on one connection, and reads none. */
function neverReading(scene: Scene): Socket {
  const socket = open(scene.target.url);
  socket.pause();
  const start = "filter[createdAt-start]=2000-01-01T00:00:00Z";
  socket.write(request(scene, `/shards/na/matches?${start}`).repeat(60));
  return socket;
}

/** Announces an upload, and sends half of a record. */
function halfUploading(scene: Scene): Socket {
  const socket = open(scene.adminUrl);
  const head = `POST /ingest HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 100000\r\n\r\n`;
  socket.write(`${head}${scene.lines[0]!.slice(0, 500)}`);
  return socket;
}

function silent(scene: Scene): Socket {
  return open(scene.target.url);
}

export const CLIENTS = [stuck];
