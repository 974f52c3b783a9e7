/** The match history of a player: filters, rows by day, and more on demand. */

import { useEffect, useId, useRef } from "react";
import type { GameMode } from "../../../../client/src/index.ts";
import { GAME_MODES } from "../../../domain/modes.ts";
import { Empty, Problem } from "../../kit/states.tsx";
import { heroName, modeName } from "../../names.ts";
import { byDay } from "./days.ts";
import { decimal, percent } from "./figures.ts";
import { meanOf, resultsInWords, resultsOf, tallies } from "./form.ts";
import { type MatchHistory, useHistory } from "./history.ts";
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
    <section id="matches" className="player-matches" aria-labelledby="matches-title">
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
      <div className="player-section-head">
        <h2 id="matches-title">Matches</h2>
        <Filters {...props} history={history} />
        <p className="player-coverage" role="status">
          {coverage(history, shown.length, mode, hero)}
        </p>
      </div>
      {(shown.length > 0 || isFirst) && <Summary appearances={shown} />}
      {byDay(shown, Date.now()).map(({ key, name, appearances: group }) => (
        <section key={key} className="player-day" aria-label={name}>
          <h3 className="player-day-head">
            {name} <span className="player-small">{resultsInWords(resultsOf(group))}</span>
          </h3>
          <ol className="player-rows">
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
      {state === "ready" && appearances.length === 0 && <NoMatches mode={mode} />}
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
  const { winRate, ...results } = resultsOf(appearances);
  const mean = (key: "ratio" | "goldPerMinute" | "farm") =>
    meanOf(appearances.map((one) => one[key]));
  const figures = [
    ["Win rate", percent(winRate)],
    ["K/D/A ratio", decimal(mean("ratio"))],
    ["Gold per minute", mean("goldPerMinute")?.toFixed(0) ?? "–"],
    ["Farm", mean("farm")?.toFixed(0) ?? "–"],
  ];
  return (
    <dl className="player-summary">
      <div>
        <dt>Results</dt>
        <dd>
          {results.played === 0 ? (
            "–"
          ) : (
            <>
              <span className="player-won-text">{results.won} W</span>{" "}
              <span className="player-lost-text">{results.lost} L</span>
            </>
          )}
        </dd>
      </div>
      {figures.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Filters({
  history,
  mode,
  hero,
  onChange,
}: Omit<ListProps, "shard"> & { history: MatchHistory }) {
  const modeField = useId();
  const heroField = useId();
  const heroes = tallies(history.items, ({ actor }) => actor);
  // The chosen hero stays in the list while the matches of another mode load.
  const isListed = hero === undefined || heroes.some(({ key }) => key === hero);
  return (
    <div className="player-filters">
      <span className="player-filter">
        <label htmlFor={modeField}>Mode</label>
        <select
          id={modeField}
          className="input input-small"
          value={mode ?? ""}
          onChange={({ target }) =>
            onChange({ mode: GAME_MODES.find((one) => one === target.value) })
          }
        >
          <option value="">All modes</option>
          {GAME_MODES.map((one) => (
            <option key={one} value={one}>
              {modeName(one)}
            </option>
          ))}
        </select>
      </span>
      <span className="player-filter">
        <label htmlFor={heroField}>Hero</label>
        <select
          id={heroField}
          className="input input-small"
          value={hero === undefined ? "" : `=${hero}`}
          onChange={({ target }) =>
            onChange({ hero: target.value === "" ? undefined : target.value.slice(1) })
          }
        >
          <option value="">All heroes</option>
          {!isListed && <option value={`=${hero}`}>{heroName(hero)} (0)</option>}
          {heroes.map(({ key, played }) => (
            // A hero's name may be empty, which would mean all heroes.
            <option key={key} value={`=${key}`}>
              {heroName(key)} ({played})
            </option>
          ))}
        </select>
      </span>
    </div>
  );
}

function NoMatches({ mode }: { mode: GameMode | undefined }) {
  return (
    <Empty title={mode === undefined ? "No matches found" : `No ${modeName(mode)} matches`}>
      <p>
        {mode === undefined
          ? "This player has not played a match in this region."
          : "Choose another mode to see the matches of this player."}
      </p>
    </Empty>
  );
}

/** What is computed from the loaded matches covers: "Last 20 matches". */
export const periodOf = ({ items, hasMore }: MatchHistory): string =>
  capitalized(period(items.length, hasMore));

/** "last 20 matches", "all 7 Ranked matches", "1 match". */
function period(count: number, hasMore: boolean, kind = ""): string {
  const matches = `${count} ${kind}${count === 1 ? "match" : "matches"}`;
  if (hasMore) return `last ${matches}`;
  return count === 1 ? matches : `all ${matches}`;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
