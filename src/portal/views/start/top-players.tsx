/** The best players of a region, by a board of the visitor's choice. */

import { useState } from "react";
import type { Board, LeaderboardEntry } from "../../../../client/src/index.ts";
import { count, share, tier } from "../../format.ts";
import { useLoad } from "../../kit/load.ts";
import { Name } from "../../kit/name.tsx";
import { Segmented } from "../../kit/segmented.tsx";
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
      <div className="section-head start-head">
        <h2 id="start-top">Top players</h2>
        <Segmented<Board> label="Board" value={board} onChange={setBoard} options={BOARDS} />
      </div>
      {/* The players of another region must not stay while those of this one load. */}
      <Best key={shard} shard={shard} board={board} />
      <p className="start-more small">
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
    <Loaded load={load} label="Loading the top players" shape="rows" count={SHOWN}>
      {({ board, entries }) =>
        entries.length === 0 ? (
          <Empty title="Nobody yet">
            <p>Players appear here after their first ranked matches.</p>
          </Empty>
        ) : (
          <ol className="start-rows">
            {entries.map((entry) => (
              <li key={entry.player.id} className="start-row start-entry">
                <Entry entry={entry} shard={shard} text={textOf(board, entry)} />
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

function Entry(props: { entry: LeaderboardEntry; shard: string; text: string }) {
  const { entry, shard, text } = props;
  const { id } = entry.player;
  const name = playerName(entry.name);
  return (
    <>
      <span className="note">
        <span className="visually-hidden">Rank </span>
        {count(entry.rank ?? undefined)}
      </span>
      <Avatar id={id} name={name} size={28} />
      <Link className="start-link link-row cut" to={{ name: "player", shard, id }}>
        <Name>{name}</Name>
      </Link>
      <span className="small soft">{text}</span>
    </>
  );
}

function textOf(board: Board, { value }: LeaderboardEntry): string {
  if (board === "skill-tier") return tier(value);
  return board === "win-rate" ? share(value, 1) : count(value);
}
