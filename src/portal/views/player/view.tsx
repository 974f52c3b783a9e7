/** The player page: lifetime stats and recent matches of one player. */

import { MatchbookError } from "../../../../client/src/index.ts";
import type { Stats } from "../../format.ts";
import { type Load, useLoad } from "../../kit/load.ts";
import { Page } from "../../kit/page.tsx";
import { Problem } from "../../kit/states.tsx";
import { playerName } from "../../names.ts";
import { Link } from "../../router.ts";
import { useSession } from "../../session.ts";
import { RecordLinks } from "../match/links.tsx";
import { History } from "./history.tsx";
import { Lifetime } from "./lifetime.tsx";
import { MoreStats } from "./more.tsx";
import { useRecent } from "./recent.ts";
import "../match/links.css";
import "./view.css";
import "./history.css";
import "./matches.css";

interface Props {
  shard: string;
  id: string;
  /** Another player to compare with. */
  compare?: string | undefined;
}

interface Known {
  name: string;
  attributes: Stats;
  stats: Stats;
}

export default function Player({ shard, id }: Props) {
  const { matchbook } = useSession();
  const load = useLoad(
    async (signal): Promise<Known> => {
      const { attributes } = await matchbook.shard(shard).player(id, { signal });
      return {
        name: playerName(attributes.name),
        attributes,
        stats: attributes.stats ?? {},
      };
    },
    [matchbook, shard, id],
  );
  const { value } = load;
  const patch = value?.attributes.patchVersion;
  return (
    <Page
      title={value?.name ?? "Player"}
      name={value?.name ?? "Player"}
      lead={`Player in ${shard}${patch ? ` · patch ${patch}` : ""}`}
      aside={<RecordLinks shard={shard} on="player" id={id} />}
    >
      {load.state === "failed" ? (
        <Failed load={load} shard={shard} />
      ) : (
        <Record player={value} shard={shard} id={id} />
      )}
    </Page>
  );
}

function Record({ player, shard, id }: Props & { player: Known | undefined }) {
  const { matchbook } = useSession();
  const recent = useRecent(matchbook, shard, id);
  return (
    <div className="player-page player-frame" aria-busy={player === undefined}>
      <Lifetime stats={player?.stats} />
      <History recent={recent} shard={shard} id={id} />
      {player && <MoreStats attributes={player.attributes} stats={player.stats} />}
    </div>
  );
}

function Failed({ load, shard }: { load: Load<Known> & { state: "failed" }; shard: string }) {
  const isMissing = load.error instanceof MatchbookError && load.error.code === "not-found";
  return (
    <div className="player-page">
      <Problem error={load.error} retry={load.retry} />
      {isMissing && (
        <p>
          Search for players by name in the{" "}
          <Link to={{ name: "explorer", search: new URLSearchParams({ shard, on: "players" }) }}>
            Explorer
          </Link>
          .
        </p>
      )}
    </div>
  );
}
