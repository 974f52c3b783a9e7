/** Recent results of a player: the form strip, and the current streak. */

import "./tile.css";
import type { ReactNode } from "react";
import { counted } from "../format.ts";
import { Link, type View } from "../router.ts";

export type Outcome = "won" | "lost" | "undecided";

export interface FormResult {
  outcome: Outcome;
  /** Describes the match to screen readers and on hover: "Won with Ivo, 3 March". */
  label: string;
  /** The match. */
  to?: View;
}

const LETTERS: Readonly<Record<Outcome, string>> = { won: "W", lost: "L", undecided: "–" };

/** Results, newest first. `places` reserves room, so that the strip does not grow while it loads. */
export function FormStrip({
  results,
  places = 0,
}: {
  results: readonly FormResult[];
  places?: number;
}) {
  const all = Array.from({ length: Math.max(places, results.length) }, (_, at) => at);
  return (
    <ol className="form-strip">
      {all.map((at) => {
        const one = results[at];
        return (
          <li key={at} className="form-place" aria-hidden={one ? undefined : true}>
            {one && <Mark {...one} />}
          </li>
        );
      })}
    </ol>
  );
}

function Mark({ outcome, label, to }: FormResult) {
  const className = `form-mark form-${outcome}`;
  const content: ReactNode = (
    <>
      <span aria-hidden="true">{LETTERS[outcome]}</span>
      <span className="visually-hidden">{label}</span>
    </>
  );
  if (!to) {
    return (
      <span className={className} title={label}>
        {content}
      </span>
    );
  }
  return (
    <Link className={className} to={to} title={label}>
      {content}
    </Link>
  );
}

/** `run` is the number of wins in a row, negative for losses. */
export function Streak({ run }: { run: number }) {
  if (run === 0) return <span className="streak soft">No streak</span>;
  const isWon = run > 0;
  return (
    <span className={`streak ${isWon ? "won" : "lost"}`}>
      {isWon ? counted(run, "win") : counted(-run, "loss", "losses")} in a row
    </span>
  );
}
