/** The entries of a leaderboard, page after page. */

import type { LeaderboardEntry, Schemas } from "../../../../client/src/index.ts";
import { count, counted } from "../../format.ts";
import { Bar } from "../../kit/bar.tsx";
import { usePages } from "../../kit/load.ts";
import { Name } from "../../kit/name.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Empty, Problem } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { playerName } from "../../names.ts";
import { Link } from "../../router.ts";
import { type Board as BoardName, type Period, valueText, WORDS } from "./boards.ts";

type Meta = Schemas.Leaderboard["meta"];

interface Props {
  shard: string;
  board: BoardName;
  period: Period;
  /** The player looked for, whose row is marked. */
  player: string | undefined;
}

/** Entries per request. */
const STEP = 50;

export function Board({ shard, board, period, player }: Props) {
  const pages = usePages(`board ${shard} ${board} ${period}`, {
    step: STEP,
    pageSize: STEP,
    pageAt: (matchbook, _offset, signal) =>
      matchbook.shard(shard).leaderboard(board, { period, limit: STEP, signal }).page(),
    read: (entry: LeaderboardEntry) => entry,
  });
  const { items, state, first } = pages;
  return (
    <section aria-label={WORDS[board].name}>
      {first === undefined ? (
        state !== "failed" && (
          <Skeleton label="Loading leaderboard" shape="rows" count={12} height={56} />
        )
      ) : items.length === 0 ? (
        <Empty title="Nobody is on this leaderboard yet">
          <p>{WORDS[board].listed}</p>
        </Empty>
      ) : (
        <>
          <p className="boards-note">{noteOf(first.meta)}</p>
          <Table entries={items} board={board} shard={shard} player={player} />
          <div className="boards-more">
            <p role="status">{shownText(items.length, pages.hasMore, first.meta)}</p>
            {pages.hasMore && state !== "failed" && (
              // Not disabled while it loads, so that it keeps the focus.
              <button
                type="button"
                className="button"
                aria-busy={state === "loading"}
                onClick={state === "loading" ? undefined : pages.more}
              >
                Show more
              </button>
            )}
          </div>
        </>
      )}
      {state === "failed" && <Problem error={pages.error} retry={pages.retry} />}
    </section>
  );
}

function shownText(shown: number, hasMore: boolean, { depth }: Meta): string {
  const players = counted(shown, "player");
  if (hasMore) return `${players} shown`;
  if (shown < depth) return `${players}: the whole leaderboard`;
  return `${players}. Further places are not listed.`;
}

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** What the board covers. */
function noteOf({ window, depth }: Meta): string {
  const period = window
    ? `Matches from ${day.formatRange(new Date(window.start), new Date(window.end))} (UTC). `
    : "";
  return `${period}The first ${count(depth)} places are listed.`;
}

type TableProps = Omit<Props, "period"> & { entries: readonly LeaderboardEntry[] };

function Table({ entries, board, shard, player }: TableProps) {
  // Rates are shown of 100 %, other values of the highest one.
  const full = board === "win-rate" ? 1 : (entries[0]?.value ?? 0);
  const hasMatches = entries.some(({ matches }) => matches !== undefined);
  return (
    <table className="frame table boards-table">
      <caption className="visually-hidden">{WORDS[board].name}</caption>
      <thead>
        <tr>
          <th scope="col" className="number">
            <abbr title="Rank">#</abbr>
          </th>
          <th scope="col">Player</th>
          {hasMatches && (
            <th scope="col" className="number boards-matches">
              Matches
            </th>
          )}
          <th scope="col" className="number">
            {WORDS[board].value}
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, rank, name, value, matches }) => (
          <tr key={id} {...(id === player && { className: "boards-found" })}>
            <td className="number">
              <span
                className={rank && rank <= 3 ? `boards-rank boards-rank-${rank}` : "boards-rank"}
              >
                {count(rank ?? undefined)}
              </span>
            </td>
            <th scope="row">
              <span className="boards-player">
                <Avatar id={id} name={playerName(name)} size={36} />
                <span className="boards-names-of">
                  <Link className="link-plain target cut" to={{ name: "player", shard, id }}>
                    <Name>{playerName(name)}</Name>
                  </Link>
                  {matches !== undefined && (
                    <span className="note boards-matches-below">
                      {counted(matches, "match", "matches")}
                    </span>
                  )}
                </span>
              </span>
            </th>
            {hasMatches && <td className="number boards-matches">{count(matches)}</td>}
            <td className="number">
              <span className="boards-value">
                <Bar value={value} of={full} />
                <strong>{valueText(board, value)}</strong>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
