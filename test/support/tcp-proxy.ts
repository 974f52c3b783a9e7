/** A TCP proxy to a port of this machine that delays what passes through it, and can cut all connections. */

import { connect, createServer, type Socket } from "node:net";
import { freePort } from "./postgres.ts";

export interface TcpProxy {
  port: number;
  /** In both directions. */
  delayMs: number;
  /** Ends all connections. */
  cut(): void;
  /** The same, and accepts no others until it is started again, on the same port. */
  stop(): void;
  start(): Promise<void>;
}

export async function startProxy(to: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: false }, (client) => {
    const upstream = connect(to, "127.0.0.1");
    pass(client, upstream);
    pass(upstream, client);
  });
  /** Chunks keep their order: one passes when those before it have. */
  const pass = (from: Socket, into: Socket) => {
    sockets.add(from);
    let passed: Promise<unknown> = Promise.resolve();
    from.on("data", (chunk) => {
      const waited = proxy.delayMs > 0 ? Bun.sleep(proxy.delayMs) : undefined;
      passed = passed.then(() => waited).then(() => into.writable && into.write(chunk));
    });
    from.on("error", () => into.destroy());
    from.on("close", () => {
      sockets.delete(from);
      passed.then(() => into.destroy());
    });
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: TcpProxy = {
    port: await freePort(),
    delayMs: 0,
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
