/** The start page: search for a player, newest matches as they end, and the best players of a region. */

import "./view.css";
import { NeedsKey } from "../../kit/needs-key.tsx";
import { usePageHead } from "../../kit/page.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { NoRegions, Problem } from "../../kit/states.tsx";
import { useRegions } from "../../regions.ts";
import { SearchBox } from "../../search/box.tsx";
import { useSession } from "../../session.ts";
import { NewestMatches } from "./newest-matches.tsx";
import { KnownPlayers } from "./players.tsx";
import { TopPlayers } from "./top-players.tsx";

export default function Start() {
  const heading = usePageHead("Matchbook");
  return (
    <>
      <section className="start-hero">
        <h1 className="page-title" ref={heading} tabIndex={-1}>
          Find any player
        </h1>
        <p className="start-lead soft">
          Match history, heroes and leaderboards of every region. Typos are forgiven.
        </p>
        <SearchBox isLarge />
        <KnownPlayers />
      </section>
      <Now />
    </>
  );
}

/** What happens in the selected region. */
function Now() {
  const { access, shard, setShard } = useSession();
  const { state, regions, error, retry } = useRegions();
  if (access === "none") return <NeedsKey what="matches and players" />;
  if (state === "failed") return <Problem error={error} retry={retry} />;
  if (state === "ready" && regions.length === 0) return <NoRegions />;
  const region = regions.find(({ id }) => id === shard);
  return (
    <>
      <div className="start-regions">
        {region && (
          <Segmented
            label="Region"
            value={shard}
            onChange={setShard}
            options={regions.map(({ id }) => ({ value: id, label: id.toUpperCase() }))}
          />
        )}
      </div>
      {region ? (
        <div className="stack start-columns">
          <NewestMatches key={region.id} region={region} />
          <TopPlayers shard={region.id} />
        </div>
      ) : (
        <Skeleton label="Loading regions" shape="rows" count={8} height={64} />
      )}
    </>
  );
}
