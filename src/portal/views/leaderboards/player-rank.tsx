/** Finds a player's rank on a leaderboard: a name with suggestions, then their entry. */

import { useState } from "react";
import type { Schemas } from "../../../../client/src/index.ts";
import type { KnownPlayer } from "../../favourites.ts";
import { count, counted } from "../../format.ts";
import { type Load, useLoad } from "../../kit/load.ts";
import { Problem } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { playerName } from "../../names.ts";
import { Link } from "../../router.ts";
import { PlayerField } from "../../search/player-field.tsx";
import { useSession } from "../../session.ts";
import { type Board, type Period, pathOf, valueText, WORDS } from "./boards.ts";

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
    <section className="card boards-finder" aria-labelledby="find-rank">
      <h2 id="find-rank">Find a player's rank</h2>
      <div className="search search-plain">
        <PlayerField
          key={shard}
          label="Player name"
          placeholder="Player name"
          regions={[shard]}
          onPick={(name) => {
            setPicked(name);
            onPick(name.id);
          }}
        />
      </div>
      {player !== undefined && (
        // A new one for each entry, so that no other player's or board's is shown while it loads.
        <Found
          key={`${board} ${period} ${player}`}
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
  const { matchbook } = useSession();
  const load = useLoad(
    async (signal) => {
      const path = pathOf(shard, board, period, [player]);
      const { document } = await matchbook.get<Schemas.Leaderboard>(path, { signal });
      return document;
    },
    [matchbook, shard, board, period, player],
  );
  return (
    <div className="boards-result" aria-live="polite" aria-busy={load.state === "loading"}>
      <Result {...{ shard, board, load, player, name }} />
      <button type="button" className="button button-small" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}

interface ResultProps extends Pick<FoundProps, "shard" | "board" | "player" | "name"> {
  load: Load<Schemas.Leaderboard>;
}

function Result({ shard, board, load, player, name }: ResultProps) {
  if (load.state === "failed") return <Problem error={load.error} retry={load.retry} />;
  if (load.value === undefined) return <p className="boards-hint">Loading rank…</p>;
  const entry = load.value.data.find(({ id }) => id === player);
  const { depth } = load.value.meta;
  if (!entry) {
    return (
      <p>
        {name ? <PlayerLink {...{ shard, player, name }} /> : "This player"} is not on this
        leaderboard. {WORDS[board].listed}
      </p>
    );
  }
  const { rank, value, matches } = entry.attributes;
  return (
    <div className="boards-entry">
      <Avatar id={player} name={playerName(entry.attributes.name)} size={44} />
      <div>
        <PlayerLink {...{ shard, player, name: entry.attributes.name }} />
        <p className="boards-hint">
          {valueText(board, value)}
          {matches !== undefined && `, ${counted(matches, "match", "matches")}`}
        </p>
      </div>
      <p className="boards-place">
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
    <Link className="boards-name" to={{ name: "player", shard, id: player }}>
      {playerName(name)}
    </Link>
  );
}
