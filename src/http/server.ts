/** In charge of the listening server: its start, its requests, its orderly end. */

import { openApiDocument } from "../openapi/document.ts";
import type { AddressSet } from "../settings/proxies.ts";
import { after } from "../store/store.ts";
import { type Addressing, readCall } from "./call.ts";
import { answer, type Progress, type Service } from "./pipeline.ts";
import { ROUTES, writtenPath } from "./routes.ts";

export interface ServerOptions extends Omit<Service, "startedAt" | "openApi"> {
  host: string;
  port: number;
  publicUrl: string;
  trustedProxies: AddressSet;
  /** How long callers are told to close their connections before the listener goes away. */
  farewellMs: number;
  /** Gives back what the server was started with, once the last request is done. */
  release(): Promise<void>;
}

export interface RunningServer {
  url: string;
  /** Tells callers to go elsewhere, finishes what is in flight, then closes. */
  stop(signal: string): Promise<void>;
}

/** Requests have no bodies. */
const LARGEST_BODY = 64 * 1024;

export function startServer(options: ServerOptions): RunningServer {
  const { observe, clock } = options;
  const service: Service = {
    ...options,
    startedAt: clock.now(),
    openApi: openApiDocument(
      ROUTES.map((route) => ({ ...route, path: writtenPath(route) })),
      options,
    ),
  };
  const addressing: Addressing = {
    publicUrl: options.publicUrl,
    trustedProxies: options.trustedProxies,
    listening: "",
  };
  let inFlight = 0;
  let isStopping = false;

  const server = listen({
    hostname: options.host,
    port: options.port,
    maxRequestBodySize: LARGEST_BODY,
    fetch(request, bun) {
      const began = clock.monotonic();
      const call = readCall(request, addressing, () => plainAddress(bun.requestIP(request)));
      const progress: Progress = { headers: {}, keyId: undefined };
      inFlight += 1;
      return after(answer(service, call, progress), (response) => {
        inFlight -= 1;
        if (isStopping) response.headers.set("Connection", "close");
        observe({
          event: "request",
          requestId: call.requestId,
          method: call.method,
          path: call.path,
          status: response.status,
          milliseconds: clock.monotonic() - began,
          keyId: progress.keyId,
        });
        return response;
      });
    },
  });
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  addressing.listening = `http://${host}:${server.port}`;
  observe({ event: "listening", url: addressing.listening });

  return {
    url: addressing.listening,
    async stop(signal) {
      if (isStopping) return;
      isStopping = true;
      observe({ event: "stopping", signal, inFlight });
      await Bun.sleep(options.farewellMs);
      await server.stop();
      await options.release();
      observe({ event: "stopped" });
    },
  };
}

/** The address cannot be listened on; the message says why. */
export class ListenError extends Error {
  override name = "ListenError";
}

const LISTEN_FAULTS: Record<string, string> = {
  EADDRINUSE: "another program listens there; stop it, or choose another --port",
  EADDRNOTAVAIL: "this machine has no such address; choose another --host",
  ENOENT: "there is no such host; choose another --host",
  EACCES: "low ports need more rights; choose a --port from 1024 on",
};

function listen(options: Parameters<typeof Bun.serve>[0] & { hostname: string; port: number }) {
  try {
    return Bun.serve(options);
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    const where = `${options.hostname}:${options.port}`;
    throw new ListenError(`cannot listen on ${where}: ${LISTEN_FAULTS[code] ?? message}`);
  }
}

/** IPv4 callers of a dual-stack listener come as ::ffff:1.2.3.4. */
function plainAddress(peer: { address: string } | null): string | undefined {
  return peer?.address.replace(/^::ffff:(?=\d+\.)/, "");
}
