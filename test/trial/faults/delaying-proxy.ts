/** A TCP proxy that delays what passes through it, in both directions, and can cut all connections. */

import { connect, createServer, type Socket } from "node:net";

export interface DelayingProxy {
  port: number;
  delayMs: number;
  cut(): void;
  stop(): void;
}

export function startProxy(to: number): Promise<DelayingProxy> {
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
  const proxy: DelayingProxy = {
    port: 0,
    delayMs: 0,
    cut,
    stop() {
      server.close();
      cut();
    },
  };
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      proxy.port = (server.address() as { port: number }).port;
      resolve(proxy);
    });
  });
}
