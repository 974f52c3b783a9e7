/** The admin listener: start, requests, stop. */

import { invalidKeyLimit } from "../access/failed-keys.ts";
import { listen, peerAddress, urlHost } from "../http/listen.ts";
import { ApiRequest, newRequestId } from "../http/request.ts";
import type { Settings } from "../settings/definitions.ts";
import { isLoopback } from "../settings/parsers.ts";

import { jsonResponse } from "./endpoint.ts";
import { AdminError, unexpectedError } from "./errors.ts";

import { Overview } from "./overview.ts";
import { operatorPage } from "./page.ts";
import { readQuery } from "./request.ts";
import { findRoute, routeOf } from "./routes.ts";
import type { AdminService, SharedService } from "./service.ts";
import { exposedFile, TokenCheck } from "./token.ts";
import { UploadThread } from "./upload-thread.ts";

export interface AdminOptions extends SharedService {
  token: string;
  /** Starts a thread that runs src/upload-worker.ts. */
  openThread: () => Worker;
}

export interface RunningAdmin {
  url: string;
  /** Stores what uploads have sent so far, then closes. */
  stop(): Promise<void>;
}

/** How long the sender of an upload may send nothing. */
const IDLE_SECONDS = 240;

/** How long responses may take once uploads have ended. */
const LAST_RESPONSES_MS = 3000;

export function startAdmin(settings: Settings, options: AdminOptions): RunningAdmin {
  const { token, openThread, clock, observe } = options;
  const file = exposedFile(settings);
  if (file !== undefined) observe({ event: "admin-token-exposed", file });
  const uploads = new UploadThread(openThread, settings);
  const overview = new Overview(options);
  const service: AdminService = { ...options, uploads, overview };
  const tokens = new TokenCheck(token, invalidKeyLimit(settings["open-requests-per-minute"]));
  const trustedProxies = settings["trusted-proxies"];
  const addressing = { publicUrl: "", trustedProxies, listening: "" };
  const peer = (request: Request) => peerAddress(server.requestIP(request));

  const { host, port } = settings["admin-port"]!;
  const server = listen(
    {
      hostname: host,
      port,
      // Each endpoint has its own limit.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      async fetch(request, bun) {
        bun.timeout(request, IDLE_SECONDS);
        const call = new ApiRequest(request, addressing, peer, clock);
        // Not the forwarded address: a client behind a trusted proxy could send another one with each guess.
        const response = await respond(service, tokens, call, peer(request) ?? "unknown");
        observe({
          event: "admin-request",
          requestId: call.requestId,
          method: call.method,
          path: call.path,
          route: routeOf(call.path),
          status: response.status,
          milliseconds: call.elapsed(),
        });
        return response;
      },
      error(error) {
        const { status, body } = unexpected(service, newRequestId(), error);
        return jsonResponse(status, body);
      },
    },
    { host: "--admin-port", port: "--admin-port" },
  );
  const url = `http://${urlHost(host)}:${server.port}`;
  observe({ event: "admin-listening", url });
  if (!isLoopback(host)) observe({ event: "admin-exposed", url });

  const close = async () => {
    overview.close();
    await uploads.stop();
    const timer = setTimeout(() => server.stop(true), LAST_RESPONSES_MS);
    await server.stop();
    clearTimeout(timer);
  };
  let closing: Promise<void> | undefined;
  const stop = () => {
    closing ??= close();
    return closing;
  };
  return { url, stop };
}

async function respond(
  service: AdminService,
  tokens: TokenCheck,
  call: ApiRequest,
  address: string,
): Promise<Response> {
  const { raw: request, requestId, query, method, path } = call;
  let response: Response;
  try {
    // The page asks for the token.
    const page = method === "GET" || method === "HEAD" ? await operatorPage(call) : undefined;
    if (page) return page;
    const authorization = request.headers.get("authorization");
    tokens.check(authorization, address, service.clock.monotonic());
    const { route, id } = findRoute(method, path);
    const parameters = readQuery(query, route.takes ?? []);
    response = await route.endpoint(service, { request, requestId, query: parameters, id });
  } catch (thrown) {
    const error = thrown instanceof AdminError ? thrown : unexpected(service, requestId, thrown);
    response = jsonResponse(error.status, error.body, error.headers);
  }
  response.headers.set("X-Request-Id", requestId);
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("X-Content-Type-Options", "nosniff");
  return response;
}

function unexpected({ observe }: AdminService, requestId: string, error: unknown): AdminError {
  observe({ event: "failure", requestId, error });
  return unexpectedError(error);
}
