/** In charge of where limits are kept: in this process, or in a Redis that several instances share. */

import type { Budgets } from "./access/budget.ts";
import type { Limiter } from "./access/limiter.ts";
import { RedisBudgets } from "./access/redis/budgets.ts";
import { RedisLimiter } from "./access/redis/limiter.ts";
import { RedisLink } from "./access/redis/link.ts";
import type { Observe } from "./observe/events.ts";
import type { SharedLimitsState } from "./observe/metrics.ts";
import type { Settings } from "./settings/table.ts";

export interface Limits {
  limiter: Limiter;
  budgets: Budgets;
  /** As it is now; undefined where limits are not meant to be shared. */
  shared: SharedLimitsState | undefined;
  close(): void;
}

/** `local` counts alone, or beside Redis, and alone again while that is away. */
export async function openLimits(
  settings: Settings,
  local: Pick<Limits, "limiter" | "budgets">,
  observe: Observe,
): Promise<Limits> {
  if (settings.redis === "") return { ...local, shared: undefined, close() {} };
  const link = new RedisLink(settings.redis, observe);
  await link.open();
  return {
    limiter: new RedisLimiter(link, local.limiter),
    budgets: new RedisBudgets(link, local.budgets),
    shared: link,
    close: () => link.close(),
  };
}
