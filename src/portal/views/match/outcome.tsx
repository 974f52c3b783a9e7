/** In charge of how the outcome of a side is marked: by a word and a sign, not by colour alone. */

import type { Outcome } from "./record.ts";

const WORDS: Record<Outcome, string> = { won: "Winner", lost: "Lost", undecided: "No winner" };

export function OutcomeMark({ outcome }: { outcome: Outcome }) {
  return (
    <span className={`match-outcome match-outcome-${outcome}`}>
      {outcome === "won" && <span aria-hidden="true">★ </span>}
      {WORDS[outcome]}
    </span>
  );
}
