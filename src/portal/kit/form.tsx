/** Recent results of a player: the form strip, and the current streak. */

import "./tile.css";
import { counted } from "../format.ts";
import type { Outcome } from "../match.ts";
import { Link, type View } from "../router.ts";

interface Props {
  /** Newest first. */
  results: readonly {
    outcome: Outcome;
    /** Describes the match to screen readers and on hover: "Won with Ivo, 3 March". */
    label: string;
    /** The match. */
    to: View;
  }[];
  /** Reserves room, so that the strip does not grow while it loads. */
  places: number;
}

const LETTERS: Readonly<Record<Outcome, string>> = { won: "W", lost: "L", undecided: "–" };

export function FormStrip({ results, places }: Props) {
  const rest = Array.from({ length: places - results.length }, (_, at) => results.length + at);
  return (
    <ol className="form-strip">
      {results.map(({ outcome, label, to }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a place keeps its element.
        <li key={at} className="form-place">
          <Link className={`form-mark form-${outcome}`} to={to} title={label}>
            <span aria-hidden="true">{LETTERS[outcome]}</span>
            <span className="visually-hidden">{label}</span>
          </Link>
        </li>
      ))}
      {rest.map((at) => (
        <li key={at} className="form-place" aria-hidden="true" />
      ))}
    </ol>
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
