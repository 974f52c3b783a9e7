/** In charge of the private listener: its start, its requests, its end. */

import { AccessError } from "../access/database.ts";
import type { FailureGuard } from "../access/failed-keys.ts";
import { listen, peerAddress, urlHost } from "../http/listen.ts";
import { type ApiRequest, newRequestId, readRequest } from "../http/request.ts";
import type { AddressSet } from "../settings/trusted-proxies.ts";
import { Gate } from "./gate.ts";
import { AdminRefusal, SOON } from "./refusal.ts";
import { findRoute, routeOf } from "./routes.ts";
import { type AdminReply, type AdminService, jsonReply } from "./service.ts";
import { tokenCheck } from "./token.ts";
import { type UploadOptions, Uploads } from "./uploads.ts";

export interface AdminOptions extends Omit<AdminService, "uploads"> {
  host: string;
  port: number;
  token: string;
  guard: FailureGuard;
  trustedProxies: AddressSet;
  uploads: UploadOptions;
}

export interface RunningAdmin {
  url: string;
  /** Ends uploads after what they have in hand, then closes. */
  stop(): Promise<void>;
}

/** What is sent may be larger than any number here: each route has a limit of its own. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Uploads watch over themselves, and may be silent for longer than other requests. */
const IDLE_SECONDS = 240;

/** How long replies may take once uploads have ended. */
const LAST_REPLIES_MS = 3000;

export function startAdmin(options: AdminOptions): RunningAdmin {
  const { host, port, clock, observe } = options;
  const uploads = new Uploads(options.uploads);
  const service: AdminService = { ...options, uploads };
  const gate = new Gate(tokenCheck(options.token), options.guard);
  const addressing = { publicUrl: "", trustedProxies: options.trustedProxies, listening: "" };

  const peer = (request: Request) => peerAddress(server.requestIP(request));

  const server = listen(
    {
      hostname: host,
      port,
      maxRequestBodySize: NO_LIMIT,
      async fetch(request, bun) {
        const began = clock.monotonic();
        bun.timeout(request, IDLE_SECONDS);
        const call = readRequest(request, addressing, peer, clock.now());
        const { reply, headers } = await answer(service, gate, call);
        const finish = () =>
          observe({
            event: "admin-request",
            requestId: call.requestId,
            method: call.method,
            path: call.path,
            route: routeOf(call.path),
            status: reply.status,
            milliseconds: clock.monotonic() - began,
          });
        if (reply.ended) reply.ended.then(finish);
        else finish();
        return new Response(reply.body, { status: reply.status, headers });
      },
      error(error) {
        const { status, body } = apology(service, newRequestId(), error);
        return Response.json(body, { status });
      },
    },
    { host: "--admin-host", port: "--admin-port" },
  );
  const url = `http://${urlHost(host)}:${server.port}`;
  observe({ event: "admin-listening", url });
  if (!isLoopback(host)) observe({ event: "admin-exposed", url });

  const end = async () => {
    await uploads.stop();
    const timer = setTimeout(() => server.stop(true), LAST_REPLIES_MS);
    await server.stop();
    clearTimeout(timer);
  };
  let ending: Promise<void> | undefined;
  return {
    url,
    stop() {
      ending ??= end();
      return ending;
    },
  };
}

interface Answer {
  reply: AdminReply;
  headers: Record<string, string>;
}

/** Who is not let in learns nothing of what is here. */
async function answer(service: AdminService, gate: Gate, call: ApiRequest): Promise<Answer> {
  const { raw: request, requestId, query, method, path } = call;
  const usual = { "X-Request-Id": requestId, "Cache-Control": "no-store" };
  try {
    const { clock } = service;
    gate.check(request.headers.get("authorization"), call.clientAddress(), clock.monotonic());
    const { endpoint, id } = findRoute(method, path);
    const reply = await endpoint(service, { request, requestId, query, id });
    return { reply, headers: { ...usual, "Content-Type": reply.contentType } };
  } catch (error) {
    const refusal = error instanceof AdminRefusal ? error : apology(service, requestId, error);
    const reply = jsonReply(refusal.status, refusal.body);
    const headers = { ...usual, "Content-Type": reply.contentType, ...refusal.extra.headers };
    return { reply, headers };
  }
}

function apology({ observe }: AdminService, requestId: string, error: unknown): AdminRefusal {
  observe({ event: "failure", requestId, error });
  if (error instanceof AccessError) {
    return new AdminRefusal(
      "keys-unavailable",
      `Keys and usage cannot be used right now: the log tells why, at ${requestId}. Try again soon; if this was to change a key, see first whether it did, with GET /keys.`,
      { headers: SOON },
    );
  }
  return new AdminRefusal(
    "internal-error",
    `Something went wrong on our side: the log tells what, at ${requestId}.`,
  );
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}
