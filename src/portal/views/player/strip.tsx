/** The form strip: the results of recent matches, newest first, each linked to its match. */

import { localTime } from "../../kit/time.tsx";
import { Link } from "../../router.ts";
import { OUTCOME_NAMES } from "../match/record.ts";
import type { Appearance } from "./appearance.ts";
import { OUTCOME_LETTERS, resultsInWords } from "./form.ts";

interface Props {
  appearances: readonly Appearance[];
  /** Reserves space for this many, so that the strip does not grow while pages load. */
  places: number;
  shard: string;
}

export function Strip({ appearances, places, shard }: Props) {
  const all = Array.from({ length: Math.max(places, appearances.length) }, (_, at) => at);
  return (
    <section className="player-form" aria-labelledby="form">
      <div className="player-section-head">
        <h2 id="form">Form</h2>
        <p className="player-note">
          {appearances.length === 0 ? "\u00a0" : `${resultsInWords(appearances)}, newest first`}
        </p>
      </div>
      <ol className="player-strip">
        {all.map((at) => {
          const one = appearances[at];
          return (
            <li key={at} className="player-place" aria-hidden={one ? undefined : true}>
              {one && <Mark appearance={one} shard={shard} />}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Mark({ appearance, shard }: { appearance: Appearance; shard: string }) {
  const { matchId, outcome, hero, createdAt } = appearance;
  const label = `${OUTCOME_NAMES[outcome]} with ${hero}, ${localTime(createdAt)}`;
  return (
    <Link
      className={`player-mark player-${outcome}`}
      to={{ name: "match", shard, id: matchId }}
      title={label}
    >
      <span aria-hidden="true">{OUTCOME_LETTERS[outcome]}</span>
      <span className="visually-hidden">{label}</span>
    </Link>
  );
}
