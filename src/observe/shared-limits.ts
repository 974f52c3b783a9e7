/** In charge of what monitoring knows of limits that several instances share, and of the metrics that say it. */

import { type Family, gauge } from "./family.ts";

export interface SharedLimitsState {
  /** Whether they are shared now; else every instance goes on with limits of its own. */
  isUp: boolean;
  /** Decisions that were made alone because sharing was not possible. */
  fallbacks: number;
}

/** Where limits are not meant to be shared, nothing is wrong with that. */
export function sharedLimitFamilies(state: SharedLimitsState | undefined): Family[] {
  return [
    {
      ...gauge(
        "matchbook_shared_limits_up",
        "0 while limits that instances are meant to share through Redis are not shared, else 1",
        () => [{ value: (state?.isUp ?? true) ? 1 : 0 }],
      ),
      isLowest: true,
    },
    {
      name: "matchbook_shared_limits_fallbacks_total",
      help: "Decisions about limits that this instance made alone because Redis was away",
      type: "counter",
      samples: () => [{ value: state?.fallbacks ?? 0 }],
    },
  ];
}
