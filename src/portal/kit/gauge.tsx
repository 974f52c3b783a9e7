/** A gauge of the requests left for the key, from the rate limit headers of the latest response. */

import { useLimits } from "../session.ts";
import { Bar } from "./bar.tsx";

export function Gauge() {
  const limits = useLimits();
  if (!limits) return null;
  const { limit, remaining, resetSeconds } = limits;
  const share = limit > 0 ? remaining / limit : 0;
  const tone = share > 0.5 ? "full" : share > 0.15 ? "half" : "low";
  const label = `${remaining.toLocaleString("en")} of ${limit.toLocaleString("en")} requests left`;
  return (
    <span
      className={`gauge gauge-${tone} small soft`}
      title={`${label}, resets in ${resetSeconds} s`}
    >
      <Bar value={share} of={1} />
      {label}
    </span>
  );
}
