/** The leaderboards of a region: the best players by tier, wins, win rate or streak. */

import { NeedsKey } from "../../kit/needs-key.tsx";
import { Page } from "../../kit/page.tsx";
import { RegionPicker } from "../../kit/region-picker.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { Link, navigate } from "../../router.ts";
import { useSession } from "../../session.ts";
import { Board } from "./board.tsx";
import {
  BOARDS,
  type Board as BoardName,
  hasPeriods,
  isBoard,
  type Period,
  periodOf,
  searchOf,
  WORDS,
} from "./boards.ts";
import { PlayerRank } from "./player-rank.tsx";
import "./view.css";

interface Props {
  shard: string;
  board: string;
  search: URLSearchParams;
}

const PERIODS: readonly { value: Period; label: string }[] = [
  { value: "all", label: "All time" },
  { value: "28d", label: "Last 28 days" },
];

export default function Leaderboards(props: Props) {
  const { board } = props;
  return isBoard(board) ? <Known {...props} board={board} /> : <UnknownBoard {...props} />;
}

function Known({ shard, board, search }: Props & { board: BoardName }) {
  const { access } = useSession();
  const period = periodOf(board, search);
  const player = search.get("player") ?? undefined;
  const { name, about } = WORDS[board];
  const replace = (...next: [Period, string | undefined]) =>
    navigate({ name: "leaderboard", shard, board, search: searchOf(board, ...next) }, "replace");
  return (
    <Page
      title={`Leaderboards in ${shard.toUpperCase()}`}
      name={`${name} leaderboard in ${shard.toUpperCase()}`}
      lead={about}
      aside={
        // The player whose rank is shown belongs to the old region.
        <RegionPicker
          value={shard}
          onChange={(region) =>
            navigate({ name: "leaderboard", shard: region, board, search: searchOf(board, period) })
          }
        />
      }
    >
      <div className="section-head boards-choice">
        <nav className="row boards-tabs" aria-label="Leaderboards">
          {BOARDS.map((one) => (
            <Link
              key={one}
              to={{ name: "leaderboard", shard, board: one, search: searchOf(one, period, player) }}
              aria-current={one === board ? "page" : undefined}
            >
              {WORDS[one].name}
            </Link>
          ))}
        </nav>
        {hasPeriods(board) && (
          <Segmented
            label="Period"
            options={PERIODS}
            value={period}
            onChange={(value) => replace(value, player)}
          />
        )}
      </div>
      {access === "none" ? (
        <NeedsKey what="this leaderboard" />
      ) : (
        <div className="stack tall boards">
          <Board key={`${shard} ${board} ${period}`} {...{ shard, board, period, player }} />
          <aside className="boards-side">
            <PlayerRank
              {...{ shard, board, period, player }}
              onPick={(id) => replace(period, id)}
            />
          </aside>
        </div>
      )}
    </Page>
  );
}

function UnknownBoard({ shard, board }: Props) {
  return (
    <Page title="Leaderboard not found" name="Leaderboard not found">
      <p>
        There is no leaderboard named <code>{board}</code>. Choose one of these:
      </p>
      <ul className="stack">
        {BOARDS.map((one) => (
          <li key={one}>
            <Link to={{ name: "leaderboard", shard, board: one, search: new URLSearchParams() }}>
              {WORDS[one].name}
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  );
}
