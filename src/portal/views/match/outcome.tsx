/** The outcome of a side as a word and a symbol, not by colour alone. */

import { OUTCOME_NAMES, type Outcome } from "./record.ts";

export function OutcomeMark({ outcome }: { outcome: Outcome }) {
  return (
    <span className={`match-outcome match-outcome-${outcome}`}>
      {outcome === "won" && <span aria-hidden="true">★ </span>}
      {OUTCOME_NAMES[outcome]}
    </span>
  );
}
