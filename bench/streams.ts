/**
 * Opens many streams of changes on a running server, and prints how long changes take from their commit to the client:
 *
 *   bun bench/streams.ts URL KEY [STREAMS]
 *
 * It prints a line whenever changes have arrived. The clocks of both must be the same, so run it on the same machine. The
 * tier of the key must allow as many streams.
 */

import { connect } from "node:net";

const [url, key, count = "1000"] = process.argv.slice(2);
if (url === undefined || key === undefined) {
  console.error("usage: bun bench/streams.ts URL KEY [STREAMS]");
  process.exit(2);
}
const { hostname, port, pathname } = new URL(url);
const REQUEST = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`;

/** Connections are opened in groups, because the queue of a listener is short. */
const AT_ONCE = 50;
const PAUSE_MS = 20;
const REPORT_MS = 1000;

let open = 0;
let delays: number[] = [];

function openStream(): void {
  let rest = "";
  const socket = connect(Number(port), hostname, () => socket.write(REQUEST));
  socket.once("data", (head) => {
    if (String(head).startsWith("HTTP/1.1 200")) open += 1;
    else console.error(String(head).slice(0, 500));
  });
  socket.on("data", (chunk) => {
    const now = Date.now();
    const events = (rest + chunk).split("\n\n");
    rest = events.pop()!;
    for (const event of events) {
      const changedAt = /"changedAt":"([^"]+)"/.exec(event)?.[1];
      if (changedAt !== undefined) delays.push(now - Date.parse(changedAt));
    }
  });
  socket.on("error", ({ message }) => console.error(message));
  socket.on("close", () => {
    open -= 1;
  });
}

for (let index = 0; index < Number(count); index++) {
  openStream();
  if (index % AT_ONCE === AT_ONCE - 1) await Bun.sleep(PAUSE_MS);
}
setInterval(() => {
  if (delays.length === 0) return;
  const sorted = delays.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)];
  console.log(`${open} streams, ${sorted.length} changes, ms: p50 ${at(0.5)}, p99 ${at(0.99)}`);
  delays = [];
}, REPORT_MS);
