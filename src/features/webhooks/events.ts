/** What deliveries report. */

import { debug, error, type Failed, type OfShard, warn } from "../../observe/events.ts";

type OfHook = OfShard & { hook: string };

export const EVENTS = {
  /** A batch of changes was delivered to a hook. */
  "hook-delivered": debug<OfHook & { changes: number; milliseconds: number }>(),
  /** The batch is sent again later, unless the hook is paused. */
  "hook-failed": warn<OfHook & { attempts: number; reason: string }>(),
  /** A hook failed for a day, or its receiver responded with 410. An operator has to resume it. */
  "hook-paused": error<OfHook & { reason: string }>(
    "run 'matchbook hooks resume HOOK' when its receiver works",
  ),
  /** Changes that a hook has not received are not in the log any more: they are too old, or the shard was restored. */
  "hook-gap": warn<OfHook>(
    "changes are not in the log any more; the next delivery reports the gap",
  ),
  /** The hooks, or the changes of a shard, cannot be read. It is tried again. */
  "hooks-stalled": error<Failed & Partial<OfShard>>(),
};

type HookEvents = typeof EVENTS;

declare module "../../observe/events.ts" {
  interface FeatureEvents extends HookEvents {}
}
