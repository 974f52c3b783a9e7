/** What the endpoints of the admin listener are given. */

import type { KeyStore } from "../access/key-store.ts";
import type { Quotas } from "../access/quota.ts";
import type { UsageStore } from "../access/usage-store.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { AccessPlan } from "../domain/limits.ts";
import type { Observe } from "../observe/events.ts";
import type { MetricFamily } from "../observe/prometheus.ts";
import type { Shards } from "../store/shards.ts";
import type { AdminRequest } from "./endpoint.ts";
import type { UploadThread } from "./upload-thread.ts";

/** What the listener shares with the public server. */
export interface SharedService {
  shards: Pick<Shards, "list" | "reader" | "replicas" | "findings">;
  keyStore: KeyStore;
  plan: AccessPlan;
  usage: Pick<UsageStore, "read" | "lastSeen">;
  quotas: Pick<Quotas, "count">;
  metrics: {
    text(): Promise<string>;
    /** Of all processes that serve. */
    families(): Awaitable<readonly MetricFamily[]>;
  };
  clock: { now(): number; monotonic(): number };
  observe: Observe;
}

export interface AdminService extends SharedService {
  overview: { read(): Promise<object> };
  uploads: UploadThread;
}

export type AdminEndpoint = (service: AdminService, request: AdminRequest) => Awaitable<Response>;

export interface AdminRoute {
  method: "GET" | "POST" | "PATCH";
  path: string;
  endpoint: AdminEndpoint;
  /** The query parameters it takes. */
  takes?: readonly string[];
}
