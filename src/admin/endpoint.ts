/** The types of the admin listener's endpoints: their service, request and response. */

import type { KeyStore } from "../access/key-store.ts";
import type { Quotas } from "../access/quota.ts";
import type { UsageRecorder } from "../access/usage-recorder.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { AccessPlan } from "../domain/limits.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { Observe } from "../observe/events.ts";
import type { MetricFamily } from "../observe/prometheus.ts";
import type { Shards } from "../store/shards.ts";
import type { UploadThread } from "./upload-thread.ts";

export interface AdminService {
  shards: Pick<Shards, "list" | "reader" | "replicas" | "findings" | "existingWriter">;
  keyStore: KeyStore;
  plan: AccessPlan;
  usage: Pick<UsageRecorder, "daysOf" | "daysOfAll" | "lastSeen">;
  quotas: Pick<Quotas, "count">;
  /** Called after keys were created, changed or revoked, so that the change takes effect at once. */
  onKeysChanged: () => Awaitable<void>;
  metrics: {
    contentType: string;
    text(): Promise<string>;
    /** Of all processes that serve. */
    families(): Awaitable<readonly MetricFamily[]>;
  };
  overview: { read(): Promise<object> };
  uploads: UploadThread;
  hooks: Hooks;
  clock: { now(): number; monotonic(): number };
  observe: Observe;
}

export type QueryName = "days" | "shard" | "replace" | "secret";

/** The query parameters that were given. */
export type AdminQuery = Partial<Record<QueryName, string>>;

export interface AdminRequest {
  request: Request;
  requestId: string;
  query: AdminQuery;
  /** The id of the key or hook, where the path has one. */
  id: string;
}

export type AdminEndpoint = (
  service: AdminService,
  request: AdminRequest,
) => Response | Promise<Response>;

export function jsonResponse(status: number, body: object, headers = {}): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}
