/** In charge of the small gauge of what a key may still ask, from the limit headers of the latest reply. */

import { useSession } from "../session.ts";

export function Gauge() {
  const { limits } = useSession();
  if (!limits) return null;
  const { limit, remaining, resetSeconds } = limits;
  const share = limit > 0 ? remaining / limit : 0;
  const tone = share > 0.5 ? "full" : share > 0.15 ? "half" : "low";
  const said = `${remaining.toLocaleString("en")} of ${limit.toLocaleString("en")} requests left`;
  return (
    <span className={`gauge gauge-${tone}`} title={`${said}; all again in ${resetSeconds} s`}>
      <span className="gauge-track" aria-hidden="true">
        <span className="gauge-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="gauge-said">{said}</span>
    </span>
  );
}
