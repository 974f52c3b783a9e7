/** What deliveries report. */

import { debug, error, type Failed, type OfShard, shardOrAll, warn } from "../../observe/events.ts";

type OfHook = OfShard & { hook: string };

export const EVENTS = {
  /** A batch of changes was delivered to a hook. */
  "hook-delivered": debug(
    (e: OfHook & { changes: number; milliseconds: number }) =>
      `delivered ${e.changes} changes of shard ${e.shard} to hook ${e.hook} in ${e.milliseconds} ms`,
  ),
  /** The batch is sent again later, unless the hook is paused. */
  "hook-failed": warn(
    (e: OfHook & { attempts: number; reason: string }) =>
      `cannot deliver changes of shard ${e.shard} to hook ${e.hook} (attempt ${e.attempts}): ${e.reason}`,
  ),
  /** A hook failed for a day, or its receiver responded with 410. An operator has to resume it. */
  "hook-paused": error(
    (e: OfHook & { reason: string }) =>
      `hook ${e.hook} is paused, after changes of shard ${e.shard} could not be delivered: ${e.reason}; run 'matchbook hooks resume ${e.hook}' when its receiver works`,
  ),
  /** Changes that a hook has not received are not in the log any more: they are too old, or the shard was restored. */
  "hook-gap": warn(
    (e: OfHook) =>
      `changes of shard ${e.shard} for hook ${e.hook} are not in the log any more; the next delivery reports the gap`,
  ),
  /** The hooks, or the changes of a shard, cannot be read. It is tried again. */
  "hooks-stalled": error(
    (e: Failed & Partial<OfShard>) =>
      `cannot deliver changes of ${shardOrAll(e)} to hooks: ${e.error.message}`,
  ),
};

type HookEvents = typeof EVENTS;

declare module "../../observe/events.ts" {
  interface FeatureEvents extends HookEvents {}
}
