/** What deliveries report: events, their texts in the log, and metrics. */

import { debug, type EventTexts, error, warn } from "../../observe/log-messages.ts";

declare module "../../observe/events.ts" {
  interface FeatureEvents {
    /** A batch of changes was delivered to a hook. */
    "hook-delivered": { hook: string; shard: string; changes: number; milliseconds: number };
    /** The batch is sent again later, unless the hook is paused. */
    "hook-failed": { hook: string; shard: string; attempts: number; reason: string };
    /** A hook failed for a day, or its receiver responded with 410. An operator has to resume it. */
    "hook-paused": { hook: string; shard: string; reason: string };
    /** Changes that a hook has not received are not in the log any more: they are too old, or the shard was restored. */
    "hook-gap": { hook: string; shard: string };
    /** The hooks, or the changes of a shard, cannot be read. It is tried again. */
    "hooks-stalled": { shard?: string; error: unknown };
  }
}

export const EVENTS: Partial<EventTexts> = {
  "hook-delivered": debug(
    (e) =>
      `delivered ${e.changes} changes of shard ${e.shard} to hook ${e.hook} in ${e.milliseconds} ms`,
  ),
  "hook-failed": warn(
    (e, paint) =>
      `${paint("yellow", `cannot deliver changes of shard ${e.shard} to hook ${e.hook}`)} (attempt ${e.attempts}): ${e.reason}`,
  ),
  "hook-paused": error(
    (e, paint) =>
      `${paint("red", `hook ${e.hook} is paused`)}, after changes of shard ${e.shard} could not be delivered: ${e.reason}; run 'matchbook hooks resume ${e.hook}' when its receiver works`,
  ),
  "hook-gap": warn(
    (e, paint) =>
      `${paint("yellow", `changes of shard ${e.shard} for hook ${e.hook} are not in the log any more`)}; the next delivery reports the gap`,
  ),
  "hooks-stalled": error(
    (e, paint) =>
      `${paint("red", e.shard === undefined ? "cannot deliver to hooks" : `cannot deliver changes of shard ${e.shard} to hooks`)}: ${e.error.message}`,
  ),
};
