/** In charge of everything that recent matches tell of a player, in all states of their coming. */

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
  // While more may come, places are kept for them; when all are here, for those alone.
  const places = next ? recent.wanted : appearances.length;
  return (
    <>
      <Strip appearances={appearances} places={places} shard={shard} />
      <Plots appearances={appearances} />
      <Tallies appearances={appearances} isGrowing={state === "loading"} />
      <section className="player-recent" aria-labelledby="recent" aria-busy={state === "loading"}>
        <div className="player-section-head">
          <h2 id="recent">Recent matches</h2>
          <Link to={{ name: "explorer", search: askedFor(shard, id) }}>Ask in the explorer</Link>
        </div>
        <MatchList appearances={appearances} shard={shard} />
        <Progress recent={recent} />
      </section>
    </>
  );
}

function Progress({ recent }: { recent: Recent }) {
  const { appearances, state, next, wanted } = recent;
  const read = counted(appearances.length, "match", "matches");
  return (
    <div className="player-progress">
      {state === "failed" && <Problem error={recent.error} retry={recent.retry} />}
      <p className="player-note" role="status">
        {state === "loading" && `Loading: ${appearances.length} of ${wanted} matches`}
        {state === "ready" && (next ? `The last ${read}` : `All ${read}`)}
        {state === "failed" && `The last ${read}; the ones before did not come`}
      </p>
      {next && state !== "failed" && (
        <button
          type="button"
          className="button player-load"
          // A button that is disabled would lose the focus of the keyboard.
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
    <Empty title="No matches of this player">
      <p>
        The shard {shard} serves no match that this player took part in.{" "}
        <Link to={{ name: "explorer", search: askedFor(shard, id) }}>Ask in the explorer</Link> to
        look in other ways.
      </p>
    </Empty>
  );
}

const askedFor = (shard: string, id: string): URLSearchParams =>
  new URLSearchParams({
    shard,
    on: "matches",
    sort: "-createdAt",
    "filter[playerIds]": id.replaceAll(/[\\,]/g, "\\$&"),
    "filter[createdAt-start]": "2000-01-01T00:00:00Z",
  });
