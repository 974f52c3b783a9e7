/** The match history of a player: filters, rows by day, and more on demand. */

import { useEffect, useRef } from "react";
import type { GameMode } from "../../../../client/src/index.ts";
import { GAME_MODES } from "../../../domain/modes.ts";
import { decimal, share } from "../../format.ts";
import { Pairs } from "../../kit/pairs.tsx";
import { Select } from "../../kit/select.tsx";
import { Empty, Problem } from "../../kit/states.tsx";
import { heroName, modeName } from "../../names.ts";
import { byDay } from "./days.ts";
import { meanOf, resultsInWords, resultsOf, tallies } from "./form.ts";
import { capitalized, type MatchHistory, period, useHistory } from "./history.ts";
import { EmptyRows, MatchRow } from "./row.tsx";

interface Props {
  /** The matches of all modes. */
  history: MatchHistory;
  shard: string;
  id: string;
  mode: GameMode | undefined;
  hero: string | undefined;
  onChange(filter: Partial<Pick<Props, "mode" | "hero">>): void;
}

export function Matches({ history, id, ...shared }: Props) {
  const { mode } = shared;
  return (
    <section id="matches" className="stack" aria-labelledby="matches-title">
      {mode === undefined ? (
        <MatchList {...shared} history={history} />
      ) : (
        <MatchesOfMode {...shared} mode={mode} id={id} newest={history.items[0]?.id} />
      )}
    </section>
  );
}

type ListProps = Omit<Props, "history" | "id">;

/** A mode is filtered by the API, so that older matches are found without loading the others. */
function MatchesOfMode({
  id,
  newest,
  ...props
}: ListProps & { id: string; mode: GameMode; newest: string | undefined }) {
  const history = useHistory(props.shard, id, props.mode);
  const { refresh } = history;
  const last = useRef(newest);
  // A new match of the player may be one of this mode.
  useEffect(() => {
    if (last.current !== undefined && last.current !== newest) refresh().catch(() => {});
    last.current = newest;
  });
  return <MatchList {...props} history={history} />;
}

function MatchList({ history, ...props }: ListProps & { history: MatchHistory }) {
  const { shard, mode, hero } = props;
  const { items: appearances, state } = history;
  const shown = hero === undefined ? appearances : appearances.filter((one) => one.actor === hero);
  const isFirst = state === "loading" && appearances.length === 0;
  return (
    <>
      <div className="section-head">
        <h2 id="matches-title">Matches</h2>
        <Filters {...props} history={history} />
        <p className="small soft player-coverage" role="status">
          {coverage(history, shown.length, mode, hero)}
        </p>
      </div>
      {(shown.length > 0 || isFirst) && <Summary appearances={shown} />}
      {byDay(shown, Date.now()).map(({ key, name, appearances: group }) => (
        <section key={key} className="stack" aria-label={name}>
          <h3 className="section-head player-day-head">
            {name} <span className="note">{resultsInWords(resultsOf(group))}</span>
          </h3>
          <ol className="stack player-rows">
            {group.map((one) => (
              <MatchRow key={one.id} appearance={one} shard={shard} />
            ))}
          </ol>
        </section>
      ))}
      {state === "loading" && (
        // New elements for each page, so that nothing visible moves.
        <EmptyRows key={appearances.length} count={isFirst ? 8 : 3} />
      )}
      {state === "ready" && appearances.length === 0 && (
        <Empty title={mode === undefined ? "No matches found" : `No ${modeName(mode)} matches`}>
          <p>
            {mode === undefined
              ? "This player has not played a match in this region."
              : "Choose another mode to see the matches of this player."}
          </p>
        </Empty>
      )}
      {state === "failed" && <Problem error={history.error} retry={history.retry} />}
      {history.hasMore && state !== "failed" && !isFirst && (
        <button
          type="button"
          className="button player-load"
          // Not `disabled`, which would drop the keyboard focus.
          aria-disabled={state === "loading"}
          onClick={state === "loading" ? undefined : history.more}
        >
          Load more
        </button>
      )}
    </>
  );
}

/** What the list covers: "Last 20 matches", "All 7 Ranked matches", "3 with Ivo in the last 20 matches". */
function coverage(
  { items: appearances, state, hasMore, wanted }: MatchHistory,
  shown: number,
  mode: GameMode | undefined,
  hero: string | undefined,
): string {
  if (state === "loading") return `Loading… ${appearances.length} of ${wanted} matches`;
  if (appearances.length === 0) return "";
  const all = period(appearances.length, hasMore, mode && `${modeName(mode)} `);
  const failed = state === "failed" ? ". Older matches failed to load." : "";
  if (hero !== undefined) {
    const older = hasMore ? ". Load more to search older ones." : "";
    return `${shown} with ${heroName(hero)} in ${hasMore ? "the " : ""}${all}${failed || older}`;
  }
  return `${capitalized(all)}${failed}`;
}

function Summary({ appearances }: { appearances: MatchHistory["items"] }) {
  const { winRate, played, won, lost } = resultsOf(appearances);
  const mean = (key: "ratio" | "goldPerMinute" | "farm") =>
    meanOf(appearances.map((one) => one[key]));
  const results = (
    <>
      <span className="won">{won} W</span> <span className="lost">{lost} L</span>
    </>
  );
  return (
    <Pairs
      className="card facts player-summary"
      pairs={[
        { name: "Results", text: played === 0 ? "–" : results },
        { name: "Win rate", text: share(winRate, 1) },
        { name: "K/D/A ratio", text: decimal(mean("ratio")) },
        { name: "Gold per minute", text: mean("goldPerMinute")?.toFixed(0) ?? "–" },
        { name: "Farm", text: mean("farm")?.toFixed(0) ?? "–" },
      ]}
    />
  );
}

type FiltersProps = Omit<ListProps, "shard"> & { history: MatchHistory };

function Filters({ history, mode, hero, onChange }: FiltersProps) {
  const heroes = tallies(history.items, ({ actor }) => actor);
  // The chosen hero stays in the list while the matches of another mode load.
  if (hero !== undefined && !heroes.some(({ key }) => key === hero))
    heroes.unshift({ key: hero, ...resultsOf([]), ratio: undefined });
  return (
    <div className="row small player-filters">
      <Select
        className="player-filter soft"
        isSmall
        label="Mode"
        value={mode ?? ""}
        options={[["", "All modes"], ...GAME_MODES.map((one) => [one, modeName(one)] as const)]}
        onChange={(value) => onChange({ mode: GAME_MODES.find((one) => one === value) })}
      />
      <Select
        className="player-filter soft"
        isSmall
        label="Hero"
        value={hero === undefined ? "" : `=${hero}`}
        options={[
          ["", "All heroes"],
          // A hero's name may be empty, which would mean all heroes.
          ...heroes.map(({ key, played }) => [`=${key}`, `${heroName(key)} (${played})`] as const),
        ]}
        onChange={(value) => onChange({ hero: value === "" ? undefined : value.slice(1) })}
      />
    </div>
  );
}
