/** The public HTTP server: starts, handles requests, and stops gracefully. */

import type { Services } from "../features/feature.ts";
import { FEATURES } from "../features/list.ts";
import type { MetricFamily } from "../observe/prometheus.ts";
import type { Settings } from "../settings/definitions.ts";
import type { ServerContext } from "./context.ts";
import { listen, peerAddress, urlHost } from "./listen.ts";
import { handleRequest } from "./pipeline.ts";
import { ApiRequest, newRequestId, type UrlSettings } from "./request.ts";
import { failureResponse } from "./response.ts";
import { describeApi } from "./routes.ts";
import { atMostOncePerSecond, shardStatuses } from "./status.ts";

export interface ServerOptions
  extends Omit<ServerContext, "startedAt" | "openApi" | "shardStates" | "running" | "state"> {
  settings: Settings;
  /** Whether other processes listen on the same port and share its connections. */
  sharesPort: boolean;
  /** For tests. */
  pace?: Readonly<Record<string, number>> | undefined;
  /** Releases what the server was started with, once the last request is done. */
  release(): Promise<void>;
}

export interface RunningServer {
  url: string;
  /** The metrics of features. */
  families(): MetricFamily[];
  /**
   * Graceful shutdown: asks clients to close their connections for `drainMs` (by default as the settings say), finishes requests in flight,
   * then closes. May be called again with a shorter time.
   */
  stop(signal: string, drainMs?: number): Promise<void>;
}

/** Requests have no bodies. */
const LARGEST_BODY = 64 * 1024;

/** Idle connections are closed after this time, more or less: the runtime counts in steps of four seconds. */
const IDLE_SECONDS = 10;

/** An idle connection is closed at the latest after this time. */
export const MAX_IDLE_MS = (IDLE_SECONDS + 4) * 1000;

export function startServer(options: ServerOptions): RunningServer {
  const { observe, clock, settings } = options;
  const services: Services = {
    ...options,
    pace: options.pace ?? {},
    idleSeconds: IDLE_SECONDS,
    keepOpen: (raw, seconds) => server.timeout(raw, seconds),
  };
  const running = new Map(
    FEATURES.flatMap(({ name, start }) => (start ? [[name, start(services)]] : [])),
  );
  const context: ServerContext = {
    ...options,
    running,
    state: { inFlight: 0, isStopping: false },
    startedAt: clock.now(),
    shardStates: atMostOncePerSecond(
      () => shardStatuses(options, { withSizes: false }),
      clock.monotonic,
    ),
    openApi: describeApi({ ...options, publicUrl: settings["public-url"] }),
  };
  const urls: UrlSettings = {
    publicUrl: settings["public-url"],
    trustedProxies: settings["trusted-proxies"],
    listening: "",
  };
  const peer = (request: Request) => peerAddress(server.requestIP(request));

  const server = listen({
    hostname: settings.host,
    port: settings.port,
    reusePort: options.sharesPort,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: LARGEST_BODY,
    fetch: (raw) => handleRequest(context, new ApiRequest(raw, urls, peer, clock)),
    error(error) {
      const requestId = newRequestId();
      observe({ event: "failure", requestId, error });
      return failureResponse(requestId);
    },
  });
  urls.listening = `http://${urlHost(settings.host)}:${server.port}`;
  observe({ event: "listening", url: urls.listening });

  const drained = Promise.withResolvers<void>();
  const shutDown = async (signal: string) => {
    context.state.isStopping = true;
    observe({ event: "stopping", signal, inFlight: context.state.inFlight });
    for (const feature of running.values()) feature.stop?.();
    await drained.promise;
    await server.stop();
    await options.release();
    observe({ event: "stopped" });
  };
  let stopping: Promise<void> | undefined;

  return {
    url: urls.listening,
    families: () => [...running.values()].flatMap((feature) => feature.families?.() ?? []),
    stop(signal, drainMs = settings["drain-ms"]) {
      setTimeout(drained.resolve, drainMs).unref();
      stopping ??= shutDown(signal);
      return stopping;
    },
  };
}
