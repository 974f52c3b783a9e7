/** Finds a player's rank on a leaderboard: a name with suggestions, then their entry. */

import { useState } from "react";
import type { LeaderboardEntry, Page, Schemas } from "../../../../client/src/index.ts";
import type { KnownPlayer } from "../../favourites.ts";
import { count, counted } from "../../format.ts";
import { type Load, useLoad } from "../../kit/load.ts";
import { Name } from "../../kit/name.tsx";
import { Problem } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { playerName } from "../../names.ts";
import { Link } from "../../router.ts";
import { PlayerField } from "../../search/player-field.tsx";
import { type Board, type Period, valueText, WORDS } from "./boards.ts";

interface Props {
  shard: string;
  board: Board;
  period: Period;
  player: string | undefined;
  /** Without an argument, nobody is looked for any more. */
  onPick(id?: string): void;
}

export function PlayerRank({ shard, board, period, player, onPick }: Props) {
  const [picked, setPicked] = useState<KnownPlayer>();
  return (
    <section className="card stack" aria-labelledby="find-rank">
      <h2 id="find-rank">Find a player's rank</h2>
      <div className="search search-plain">
        <PlayerField
          key={shard}
          label="Player name"
          placeholder="Player name"
          shard={shard}
          onPick={(name) => {
            setPicked(name);
            onPick(name.id);
          }}
        />
      </div>
      {player !== undefined && (
        <Found
          {...{ shard, board, period, player }}
          name={picked?.id === player ? picked.name : undefined}
          onClear={() => onPick()}
        />
      )}
    </section>
  );
}

type FoundProps = Omit<Props, "onPick" | "player"> & {
  player: string;
  /** Known if the player was picked here, and not named by the URL. */
  name: string | undefined;
  onClear(): void;
};

function Found({ shard, board, period, player, name, onClear }: FoundProps) {
  const load = useLoad(`rank ${shard} ${board} ${period} ${player}`, (matchbook, signal) =>
    matchbook
      .shard(shard)
      .leaderboard(board, { period, playerIds: [player], signal })
      .page(),
  );
  return (
    <div className="stack boards-result" aria-live="polite" aria-busy={load.state === "loading"}>
      <Result {...{ shard, board, load, player, name }} />
      <button type="button" className="button button-small" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}

interface ResultProps extends Pick<FoundProps, "shard" | "board" | "player" | "name"> {
  load: Load<Page<LeaderboardEntry, Schemas.Leaderboard>>;
}

function Result({ shard, board, load, player, name }: ResultProps) {
  if (load.state === "failed") return <Problem error={load.error} retry={load.retry} />;
  if (load.value === undefined) return <p className="small soft">Loading rank…</p>;
  const entry = load.value.items.find(({ id }) => id === player);
  const { depth } = load.value.meta;
  if (!entry) {
    return (
      <p>
        {name ? <PlayerLink {...{ shard, player, name }} /> : "This player"} is not on this
        leaderboard. {WORDS[board].listed}
      </p>
    );
  }
  const { rank, value, matches } = entry;
  return (
    <div className="boards-entry">
      <Avatar id={player} name={playerName(entry.name)} size={44} />
      <div>
        <PlayerLink {...{ shard, player, name: entry.name }} />
        <p className="small soft">
          {valueText(board, value)}
          {matches !== undefined && `, ${counted(matches, "match", "matches")}`}
        </p>
      </div>
      <p className="figure">
        {rank === null ? (
          <>Beyond the first {count(depth)}</>
        ) : (
          <>
            <span className="visually-hidden">Rank </span>
            <span aria-hidden="true">#</span>
            {count(rank)}
          </>
        )}
      </p>
    </div>
  );
}

function PlayerLink({ shard, player, name }: { shard: string; player: string; name: string }) {
  return (
    <Link className="link-plain target boards-name" to={{ name: "player", shard, id: player }}>
      <Name>{playerName(name)}</Name>
    </Link>
  );
}
