/** The public HTTP server: starts, handles requests, and stops gracefully. */

import { FeedLimits } from "../access/feed-limits.ts";
import type { FeedState } from "../observe/metrics.ts";
import { openApiDocument } from "../openapi/document.ts";
import type { AddressSet } from "../settings/trusted-proxies.ts";
import { ChangeFeed, POLL_MS } from "./change-feed.ts";
import type { FeedContext, ServerContext } from "./context.ts";
import { EventStreams, STREAM_PACE, type StreamPace } from "./event-stream.ts";
import { listen, peerAddress, urlHost } from "./listen.ts";
import { handleRequest, newProgress } from "./pipeline.ts";
import { newRequestId, readRequest, type UrlSettings } from "./request.ts";
import { failureResponse } from "./response.ts";
import { openApiPath, ROUTES } from "./routes.ts";
import { atMostOncePerSecond, shardStatuses } from "./status.ts";
import { stopwatches } from "./stopwatch.ts";

export interface ServerOptions
  extends Omit<ServerContext, "startedAt" | "openApi" | "shardStates" | "feed"> {
  host: string;
  port: number;
  /** Whether other processes listen on the same port and share its connections. */
  sharesPort: boolean;
  publicUrl: string;
  trustedProxies: AddressSet;
  /** How long responses ask clients to close their connections before the listener closes. */
  drainMs: number;
  /** For tests. */
  feedPace?: Partial<FeedPace> | undefined;
  /** Releases what the server was started with, once the last request is done. */
  release(): Promise<void>;
}

export interface FeedPace extends StreamPace {
  pollMs: number;
}

export interface RunningServer {
  url: string;
  /** For the metrics. */
  feed: FeedState;
  /**
   * Graceful shutdown: asks clients to close their connections for `drainMs`, finishes requests in flight,
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
  const { observe, clock } = options;
  const feed = feedContext(options, (raw, seconds) => server.timeout(raw, seconds));
  const context: ServerContext = {
    ...options,
    feed,
    startedAt: clock.now(),
    shardStates: atMostOncePerSecond(
      () => shardStatuses(options, { withSizes: false }),
      clock.monotonic,
    ),
    openApi: openApiDocument(
      ROUTES.map((route) => ({ ...route, path: openApiPath(route) })),
      options,
    ),
  };
  const urls: UrlSettings = {
    publicUrl: options.publicUrl,
    trustedProxies: options.trustedProxies,
    listening: "",
  };
  const newStopwatch = stopwatches(clock.monotonic);
  const peer = (request: Request) => peerAddress(server.requestIP(request));
  let inFlight = 0;
  let isStopping = false;

  const server = listen({
    hostname: options.host,
    port: options.port,
    reusePort: options.sharesPort,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: LARGEST_BODY,
    async fetch(raw) {
      const watch = newStopwatch();
      const request = readRequest(raw, urls, peer, clock.now());
      const progress = newProgress(watch);
      inFlight += 1;
      let response: Response;
      try {
        response = await handleRequest(context, request, progress);
      } finally {
        inFlight -= 1;
      }
      if (isStopping) response.headers.set("Connection", "close");
      const { key } = progress;
      const milliseconds = watch.elapsed();
      observe({
        event: "request",
        requestId: request.requestId,
        method: request.method,
        path: request.path,
        query: request.query,
        route: progress.route,
        status: response.status,
        code: progress.code,
        time: Math.round(request.time + milliseconds),
        milliseconds,
        stages: watch.laps,
        keyId: key?.id,
        tier: key?.limits.tier,
        records: progress.records,
      });
      return response;
    },
    error(error) {
      const requestId = newRequestId();
      observe({ event: "failure", requestId, error });
      return failureResponse(requestId);
    },
  });
  urls.listening = `http://${urlHost(options.host)}:${server.port}`;
  observe({ event: "listening", url: urls.listening });

  const drained = Promise.withResolvers<void>();
  const shutDown = async (signal: string) => {
    isStopping = true;
    observe({ event: "stopping", signal, inFlight });
    feed.streams.stop();
    feed.log.stop();
    await drained.promise;
    await server.stop();
    await options.release();
    observe({ event: "stopped" });
  };
  let stopping: Promise<void> | undefined;

  return {
    url: urls.listening,
    feed: { openStreams: () => feed.streams.size, changesSent: () => feed.limits.total },
    stop(signal, drainMs = options.drainMs) {
      setTimeout(drained.resolve, drainMs).unref();
      stopping ??= shutDown(signal);
      return stopping;
    },
  };
}

export function feedContext(
  options: Pick<ServerOptions, "shards" | "keys" | "profile" | "clock" | "observe" | "feedPace">,
  keepOpen: FeedContext["keepOpen"],
): FeedContext {
  const { shards, keys, profile, clock, observe } = options;
  const { pollMs, ...pace } = { pollMs: POLL_MS, ...STREAM_PACE, ...options.feedPace };
  const log = new ChangeFeed(shards, observe, pollMs);
  const limits = new FeedLimits(clock);
  const { monotonic } = clock;
  return {
    log,
    limits,
    streams: new EventStreams({ feed: log, limits, pace, monotonic, observe }),
    idleSeconds: IDLE_SECONDS,
    keepOpen,
    currentKey({ headers }, shard) {
      const header = profile.authorization(headers.get("authorization"));
      const key = keys.find(header, clock.now());
      return key && keys.mayRead(key, shard) ? key : undefined;
    },
  };
}
