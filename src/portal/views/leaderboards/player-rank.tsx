/** Finds a player's rank on a leaderboard: a name with suggestions, then their entry. */

import { useState } from "react";
import type { KnownPlayer } from "../../favourites.ts";
import { count, counted } from "../../format.ts";
import { useLoad } from "../../kit/load.ts";
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

interface FoundProps extends Omit<Props, "onPick"> {
  player: string;
  /** Known if the player was picked here, and not named by the URL. */
  name: string | undefined;
  onClear(): void;
}

function Found({ shard, board, period, player, name, onClear }: FoundProps) {
  const load = useLoad(`rank ${shard} ${board} ${period} ${player}`, (matchbook, signal) =>
    matchbook
      .shard(shard)
      .leaderboard(board, { period, playerIds: [player], signal })
      .page(),
  );
  const entry = load.value?.items.find(({ id }) => id === player);
  const shownName = playerName(entry?.name ?? name);
  const link = (
    <Link className="link-plain target boards-name" to={{ name: "player", shard, id: player }}>
      <Name>{shownName}</Name>
    </Link>
  );
  return (
    <div className="stack boards-result" aria-live="polite" aria-busy={load.state === "loading"}>
      {load.state === "failed" ? (
        <Problem error={load.error} retry={load.retry} />
      ) : load.value === undefined ? (
        <p className="small soft">Loading rank…</p>
      ) : entry === undefined ? (
        <p>
          {name ? link : "This player"} is not on this leaderboard. {WORDS[board].listed}
        </p>
      ) : (
        <div className="boards-entry">
          <Avatar id={player} name={shownName} size={44} />
          <div>
            {link}
            <p className="small soft">
              {valueText(board, entry.value)}
              {entry.matches !== undefined && `, ${counted(entry.matches, "match", "matches")}`}
            </p>
          </div>
          <p className="figure">
            {entry.rank === null ? (
              <>Beyond the first {count(load.value.meta.depth)}</>
            ) : (
              <>
                <span className="visually-hidden">Rank </span>
                <span aria-hidden="true">#</span>
                {count(entry.rank)}
              </>
            )}
          </p>
        </div>
      )}
      <button type="button" className="button button-small" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}
