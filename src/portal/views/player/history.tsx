/** A player's recent matches: form, plots, modes and heroes, and the list of matches. */

import { counted } from "../../format.ts";
import { Empty, Problem } from "../../kit/states.tsx";
import { Link } from "../../router.ts";
import { MatchList } from "./matches.tsx";
import { Plots } from "./plots.tsx";
import type { Recent } from "./recent.ts";
import { Strip } from "./strip.tsx";
import { Tallies } from "./tallies.tsx";

interface Props {
  recent: Recent;
  shard: string;
  id: string;
}

export function History({ recent, shard, id }: Props) {
  const { appearances, state, next } = recent;
  if (appearances.length === 0 && state === "failed") {
    return <Problem error={recent.error} retry={recent.retry} />;
  }
  if (appearances.length === 0 && state === "ready") return <NoMatches shard={shard} id={id} />;
  // Reserves space while more matches may load.
  const places = next ? recent.wanted : appearances.length;
  return (
    <>
      <Strip appearances={appearances} places={places} shard={shard} />
      <Plots appearances={appearances} />
      <Tallies appearances={appearances} isLoading={state === "loading"} />
      <section className="player-recent" aria-labelledby="recent" aria-busy={state === "loading"}>
        <div className="player-section-head">
          <h2 id="recent">Recent matches</h2>
          <Link to={{ name: "explorer", search: matchesOf(shard, id) }}>Open in Explorer</Link>
        </div>
        <MatchList appearances={appearances} shard={shard} />
        <Progress recent={recent} />
      </section>
    </>
  );
}

function Progress({ recent }: { recent: Recent }) {
  const { appearances, state, next, wanted } = recent;
  const matches = counted(appearances.length, "match", "matches");
  return (
    <div className="player-progress">
      {state === "failed" && <Problem error={recent.error} retry={recent.retry} />}
      <p className="player-note" role="status">
        {state === "loading" && `Loading… ${appearances.length} of ${wanted} matches`}
        {state === "ready" && (next ? `Last ${matches}` : `All ${matches}`)}
        {state === "failed" && `Last ${matches}. Older matches failed to load.`}
      </p>
      {next && state !== "failed" && (
        <button
          type="button"
          className="button player-load"
          // Not `disabled`, which would drop the keyboard focus.
          aria-disabled={state === "loading"}
          onClick={state === "loading" ? undefined : recent.more}
        >
          Load more
        </button>
      )}
    </div>
  );
}

function NoMatches({ shard, id }: { shard: string; id: string }) {
  return (
    <Empty title="No matches found">
      <p>
        This player has no matches in {shard}. Search with other filters in the{" "}
        <Link to={{ name: "explorer", search: matchesOf(shard, id) }}>Explorer</Link>.
      </p>
    </Empty>
  );
}

const matchesOf = (shard: string, id: string): URLSearchParams =>
  new URLSearchParams({
    shard,
    on: "matches",
    sort: "-createdAt",
    "filter[playerIds]": id.replaceAll(/[\\,]/g, "\\$&"),
    "filter[createdAt-start]": "2000-01-01T00:00:00Z",
  });
