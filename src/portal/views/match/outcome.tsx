/** The outcome of a side as a word and a symbol, not by colour alone. */

import type { Outcome } from "./record.ts";

const WORDS: Record<Outcome, string> = { won: "Won", lost: "Lost", undecided: "No winner" };

export function OutcomeMark({ outcome }: { outcome: Outcome }) {
  return (
    <span className={`match-outcome match-outcome-${outcome}`}>
      {outcome === "won" && <span aria-hidden="true">★ </span>}
      {WORDS[outcome]}
    </span>
  );
}
