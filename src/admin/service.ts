/** In charge of what the routes of the private listener work with. */

import type { KeyStore } from "../access/key-store.ts";
import type { Quotas } from "../access/quota.ts";
import type { UsageRecorder } from "../access/usage-recorder.ts";
import type { AccessPlan } from "../domain/allowance.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Observe } from "../observe/events.ts";
import type { Uploads } from "./uploads.ts";

export interface AdminService {
  keyStore: KeyStore;
  plan: AccessPlan;
  usage: Pick<UsageRecorder, "daysOf" | "lastSeen">;
  budgets: Pick<Quotas, "count" | "isExceeded">;
  /** Called when keys were made, changed or ended, so that they count at once. */
  onKeysChanged: () => Awaitable<void>;
  metrics: { contentType: string; text(): Promise<string> };
  uploads: Uploads;
  clock: { now(): number; monotonic(): number };
  observe: Observe;
}

export interface AdminCall {
  request: Request;
  requestId: string;
  /** What follows the question mark, still encoded. */
  query: string;
  /** The key's id, where the path has one. */
  id: string;
}

/** What a route answers. */
export interface AdminReply {
  status: number;
  contentType: string;
  body: string | ReadableStream<Uint8Array>;
  /** Set when the reply goes on for a while: settled once it is over. */
  ended?: Promise<void>;
}

export type AdminEndpoint = (
  service: AdminService,
  call: AdminCall,
) => AdminReply | Promise<AdminReply>;

export function jsonReply(status: number, body: object): AdminReply {
  return { status, contentType: "application/json", body: `${JSON.stringify(body)}\n` };
}
