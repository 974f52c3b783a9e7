/** In charge of the listening server: its start, its requests, its orderly end. */

import { openApiDocument } from "../openapi/document.ts";
import type { AddressSet } from "../settings/trusted-proxies.ts";
import { type Addressing, newRequestId, readCall } from "./call.ts";
import { listen, plainAddress, writtenHost } from "./listen.ts";
import { answer, newProgress } from "./pipeline.ts";
import { failureReply } from "./reply.ts";
import { ROUTES, writtenPath } from "./routes.ts";
import type { Service } from "./serving.ts";
import { stopwatches } from "./stopwatch.ts";

export interface ServerOptions extends Omit<Service, "startedAt" | "openApi"> {
  host: string;
  port: number;
  /** Whether other processes listen on the same port, and get their share of connections. */
  sharesPort: boolean;
  publicUrl: string;
  trustedProxies: AddressSet;
  /** How long callers are told to close their connections before the listener goes away. */
  farewellMs: number;
  /** Gives back what the server was started with, once the last request is done. */
  release(): Promise<void>;
}

export interface RunningServer {
  url: string;
  /**
   * Tells callers to go elsewhere, for as long as the settings say unless it is said here; finishes what
   * is in flight; then closes. Asked again, with less time, it hurries.
   */
  stop(signal: string, farewellMs?: number): Promise<void>;
}

/** Requests have no bodies. */
const LARGEST_BODY = 64 * 1024;

/** A connection is closed when nothing has come for so long. */
const IDLE_SECONDS = 10;

/** The runtime looks every four seconds; by then it has looked. */
export const LONGEST_IDLE_MS = (IDLE_SECONDS + 4) * 1000;

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
  const newStopwatch = stopwatches(clock.monotonic);
  const peer = (request: Request) => plainAddress(server.requestIP(request));
  let inFlight = 0;
  let isStopping = false;

  const server = listen({
    hostname: options.host,
    port: options.port,
    reusePort: options.sharesPort,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: LARGEST_BODY,
    async fetch(request) {
      const watch = newStopwatch();
      const call = readCall(request, addressing, peer, clock.now());
      const progress = newProgress(watch);
      inFlight += 1;
      const response = await answer(service, call, progress);
      inFlight -= 1;
      if (isStopping) response.headers.set("Connection", "close");
      const { key } = progress;
      const milliseconds = watch.elapsed();
      observe({
        event: "request",
        requestId: call.requestId,
        method: call.method,
        path: call.path,
        query: call.query,
        route: progress.route,
        status: response.status,
        code: progress.code,
        time: Math.round(call.time + milliseconds),
        milliseconds,
        stages: watch.laps,
        keyId: key?.id,
        tier: key?.allowance.tier,
        records: progress.records,
      });
      return response;
    },
    error(error) {
      const requestId = newRequestId();
      observe({ event: "failure", requestId, error });
      return failureReply(requestId);
    },
  });
  addressing.listening = `http://${writtenHost(options.host)}:${server.port}`;
  observe({ event: "listening", url: addressing.listening });

  const farewell = Promise.withResolvers<void>();
  const end = async (signal: string) => {
    isStopping = true;
    observe({ event: "stopping", signal, inFlight });
    await farewell.promise;
    await server.stop();
    await options.release();
    observe({ event: "stopped" });
  };
  let ending: Promise<void> | undefined;

  return {
    url: addressing.listening,
    stop(signal, farewellMs = options.farewellMs) {
      setTimeout(farewell.resolve, farewellMs).unref();
      ending ??= end(signal);
      return ending;
    },
  };
}
