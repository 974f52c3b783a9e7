/** What every endpoint of the private listener works with, takes and returns. */

import type { Budgets } from "../access/budget.ts";
import type { Ledger } from "../access/ledger.ts";
import type { AccessPlace } from "../access/place.ts";
import type { AccessPlan } from "../domain/allowance.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Observe } from "../observe/events.ts";
import type { UploadThread } from "./upload-thread.ts";

export interface AdminService {
  /** Where the keys are. */
  access: Pick<AccessPlace, "keyring">;
  plan: AccessPlan;
  usage: Pick<Ledger, "daysOf" | "lastSeen">;
  budgets: Pick<Budgets, "count" | "isSpent">;
  /** Called when keys were created, changed or revoked, so that the change takes effect at once. */
  onKeysChanged: () => Awaitable<void>;
  metrics: { contentType: string; text(): Promise<string> };
  uploads: UploadThread;
  clock: { now(): number; monotonic(): number };
  observe: Observe;
}

export interface AdminRequest {
  request: Request;
  requestId: string;
  /** What follows the question mark, still encoded. */
  query: string;
  /** The key's id, where the path has one. */
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
