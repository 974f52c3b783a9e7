/** The best players of a region, by a board of the visitor's choice. */

import { useState } from "react";
import type { Board, LeaderboardEntry } from "../../../../client/src/index.ts";
import { count, share, tier } from "../../format.ts";
import { useLoad } from "../../kit/load.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { playerName } from "../../names.ts";
import { Link } from "../../router.ts";

const BOARDS: readonly { value: Board; label: string }[] = [
  { value: "skill-tier", label: "Tier" },
  { value: "ranked-wins", label: "Wins" },
  { value: "win-rate", label: "Win rate" },
  { value: "win-streak", label: "Streak" },
];

const SHOWN = 10;

export function TopPlayers({ shard }: { shard: string }) {
  const [board, setBoard] = useState<Board>("skill-tier");
  return (
    <section className="start-top" aria-labelledby="start-top">
      <div className="start-head">
        <h2 id="start-top">Top players</h2>
        <Segmented<Board> label="Board" value={board} onChange={setBoard} options={BOARDS} />
      </div>
      {/* The players of another region must not stay while those of this one load. */}
      <Best key={shard} shard={shard} board={board} />
      <p className="start-more">
        <Link to={{ name: "leaderboard", shard, board, search: new URLSearchParams() }}>
          See the whole leaderboard
        </Link>
      </p>
    </section>
  );
}

function Best({ shard, board: chosen }: { shard: string; board: Board }) {
  const load = useLoad(`top ${shard} ${chosen}`, async (matchbook, signal) => {
    const board = matchbook.shard(shard).leaderboard(chosen, { limit: SHOWN, signal });
    return { board: chosen, entries: (await board.page()).items };
  });
  return (
    <Loaded
      load={load}
      label="Loading the top players"
      skeleton={<Skeleton label="Loading the top players" shape="rows" count={SHOWN} />}
    >
      {({ board, entries }) => <Entries board={board} entries={entries} shard={shard} />}
    </Loaded>
  );
}

interface EntriesProps {
  board: Board;
  entries: readonly LeaderboardEntry[];
  shard: string;
}

function Entries({ board, entries, shard }: EntriesProps) {
  if (entries.length === 0) {
    return (
      <Empty title="Nobody yet">
        <p>Players appear here after their first ranked matches.</p>
      </Empty>
    );
  }
  return (
    <ol className="start-rows">
      {entries.map((entry) => {
        const name = playerName(entry.name);
        return (
          <li key={entry.player.id} className="start-row start-entry">
            <span className="start-rank">
              <span className="visually-hidden">Rank </span>
              {count(entry.rank ?? undefined)}
            </span>
            <Avatar id={entry.player.id} name={name} size={28} />
            <Link className="start-link" to={{ name: "player", shard, id: entry.player.id }}>
              {name}
            </Link>
            <span className="start-value">{textOf(board, entry)}</span>
          </li>
        );
      })}
    </ol>
  );
}

function textOf(board: Board, { value }: LeaderboardEntry): string {
  if (board === "skill-tier") return tier(value);
  return board === "win-rate" ? share(value, 1) : count(value);
}
