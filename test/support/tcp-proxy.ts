/** A TCP proxy to a port of this machine that can delay, lose, hold back and cut what passes through it. */

import { connect, createServer, type Socket } from "node:net";
import { freePort } from "./postgres.ts";

export interface TcpProxy {
  port: number;
  /** In both directions. */
  delayMs: number;
  /** What becomes of bytes from a client, or of those that it gets. "cut" ends their connection. */
  fate(bytes: Buffer, client: Socket, isReply: boolean): "passes" | "is lost" | "cut";
  /** From now on, the connections that exist hang without being closed. */
  freeze(): void;
  /** Ends all connections. */
  cut(): void;
  /** The same, and accepts no others until it is started again, on the same port. */
  stop(): void;
  start(): Promise<void>;
}

export async function startProxy(to: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const frozen = new Set<Socket>();
  const server = createServer({ allowHalfOpen: false }, (client) => {
    const upstream = connect(to, "127.0.0.1");
    pass(client, upstream, client);
    pass(upstream, client, client);
  });
  /** Chunks keep their order: one passes when those before it have. */
  const pass = (from: Socket, into: Socket, client: Socket) => {
    sockets.add(from);
    let passed: Promise<unknown> = Promise.resolve();
    from.on("data", (chunk: Buffer) => {
      const fate = frozen.has(from) ? "is lost" : proxy.fate(chunk, client, from !== client);
      if (fate === "cut") for (const socket of [from, into]) socket.destroy();
      if (fate !== "passes") return;
      const waited = proxy.delayMs > 0 ? Bun.sleep(proxy.delayMs) : undefined;
      passed = passed.then(() => waited).then(() => into.writable && into.write(chunk));
    });
    from.on("error", () => frozen.has(from) || into.destroy());
    from.on("close", () => {
      sockets.delete(from);
      if (!frozen.delete(from)) passed.then(() => into.destroy());
    });
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: TcpProxy = {
    port: await freePort(),
    delayMs: 0,
    fate: () => "passes",
    freeze() {
      for (const socket of sockets) frozen.add(socket);
    },
    cut,
    stop() {
      server.close();
      cut();
    },
    start: () => new Promise((resolve) => server.listen(proxy.port, "127.0.0.1", resolve)),
  };
  await proxy.start();
  return proxy;
}
