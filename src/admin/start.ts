/** In charge of what the private listener takes from the settings, and shares with the public server. */

import { FailureGuard } from "../access/failed-keys.ts";
import type { KeyWatch } from "../access/key-lookup.ts";
import type { Quotas } from "../access/quota.ts";
import type { UsageRecorder } from "../access/usage-recorder.ts";
import type { AccessPlan } from "../domain/allowance.ts";
import type { Observe } from "../observe/events.ts";
import type { Settings } from "../settings/table.ts";
import type { StoringSettings } from "./crossing.ts";
import { type RunningAdmin, startAdmin } from "./server.ts";
import type { AdminService } from "./service.ts";
import { exposedFile } from "./token.ts";

const MOST_READING_THREADS = 2;

/** Smaller than on the command line: results are told sooner, and less is held in memory. */
const MOST_IN_A_BATCH = 500;

/** How long a sender may be silent, and a reply unread. */
const PATIENCE_MS = 120_000;

/** What both listeners work with. */
export interface Parts {
  token: string;
  plan: AccessPlan;
  keyStore: AdminService["keyStore"];
  keys: Pick<KeyWatch, "lookAgain">;
  usage: UsageRecorder;
  budgets: Quotas;
  metrics: AdminService["metrics"];
  clock: AdminService["clock"];
  observe: Observe;
  openThread: () => Worker;
}

export function startPrivately(settings: Settings, parts: Parts): RunningAdmin {
  const { token, plan, keyStore, keys, usage, budgets, metrics, clock, observe, openThread } =
    parts;
  const file = exposedFile(settings);
  if (file !== undefined) observe({ event: "admin-token-exposed", file });
  return startAdmin({
    host: settings["admin-host"],
    port: settings["admin-port"] ?? 0,
    token,
    guard: new FailureGuard(settings["auth-failures-per-minute"]),
    trustedProxies: settings["trusted-proxies"],
    keyStore,
    plan,
    usage,
    budgets,
    onKeysChanged: () => keys.lookAgain(),
    metrics,
    uploads: {
      most: settings["max-upload-bytes"],
      patienceMs: PATIENCE_MS,
      spoolDir: settings.data,
      thread: { open: openThread, settings: forStoring(settings), threads: readingThreads() },
    },
    clock,
    observe,
  });
}

function forStoring(settings: Settings): StoringSettings {
  const { data, shards, "title-id": titleId, "max-record-bytes": longest } = settings;
  const batch = Math.min(settings.batch, MOST_IN_A_BATCH);
  return { data, shards, batch, "title-id": titleId, "max-record-bytes": longest };
}

/** Two cores are for the thread that serves and the one that stores. */
function readingThreads(): number {
  return Math.max(0, Math.min(navigator.hardwareConcurrency - 2, MOST_READING_THREADS));
}
