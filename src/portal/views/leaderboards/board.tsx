/** The entries of a leaderboard, page after page. */

import { useCallback, useState } from "react";
import type { Matchbook, Schemas } from "../../../../client/src/index.ts";
import { count, counted } from "../../format.ts";
import { useLoad } from "../../kit/load.ts";
import { Name } from "../../kit/name.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Empty, Problem } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { playerName } from "../../names.ts";
import { Link } from "../../router.ts";
import { useSession } from "../../session.ts";
import { type Board as BoardName, type Period, pathOf, valueText, WORDS } from "./boards.ts";

export type Entry = Schemas.Leaderboard["data"][number];
type Meta = Schemas.Leaderboard["meta"];

interface Props {
  shard: string;
  board: BoardName;
  period: Period;
  /** The player looked for, whose row is marked. */
  player: string | undefined;
}

interface Entries {
  entries: readonly Entry[];
  meta: Meta;
  next: string | undefined;
}

export function Board({ shard, board, period, player }: Props) {
  const { matchbook } = useSession();
  const first = useLoad(
    (signal) => pageAt(matchbook, pathOf(shard, board, period), signal),
    [matchbook, shard, board, period],
  );
  return (
    <section aria-label={WORDS[board].name}>
      {first.state === "failed" ? (
        <Problem error={first.error} retry={first.retry} />
      ) : first.value === undefined ? (
        <Skeleton label="Loading leaderboard" shape="rows" count={12} height={56} />
      ) : (
        <Pages first={first.value} board={board} shard={shard} player={player} />
      )}
    </section>
  );
}

async function pageAt(matchbook: Matchbook, path: string, signal?: AbortSignal): Promise<Entries> {
  const { document } = await matchbook.get<Schemas.Leaderboard>(path, signal && { signal });
  return { entries: document.data, meta: document.meta, next: document.links.next };
}

function Pages({ first, board, shard, player }: { first: Entries } & Omit<Props, "period">) {
  const { matchbook } = useSession();
  const [more, setMore] = useState<Entries>();
  const [state, setState] = useState<"idle" | "loading" | { error: unknown }>("idle");
  const { entries, next } = more ?? first;
  const { meta } = first;
  const loadMore = useCallback(() => {
    if (next === undefined) return;
    setState("loading");
    pageAt(matchbook, next).then(
      (page) => {
        setMore({ ...page, entries: joined(entries, page.entries) });
        setState("idle");
      },
      (error: unknown) => setState({ error }),
    );
  }, [matchbook, next, entries]);
  if (entries.length === 0) {
    return (
      <Empty title="Nobody is on this leaderboard yet">
        <p>{WORDS[board].listed}</p>
      </Empty>
    );
  }
  return (
    <>
      <p className="small soft boards-note">{noteOf(meta)}</p>
      <Table entries={entries} board={board} shard={shard} player={player} />
      <div className="small soft boards-more">
        <p role="status">{shownText(entries.length, next !== undefined, meta)}</p>
        {typeof state === "object" && <Problem error={state.error} retry={loadMore} />}
        {next !== undefined && typeof state !== "object" && (
          // Not disabled while it loads, so that it keeps the focus.
          <button
            type="button"
            className="button"
            aria-busy={state === "loading"}
            onClick={state === "loading" ? undefined : loadMore}
          >
            Show more
          </button>
        )}
      </div>
    </>
  );
}

/** A player who moved meanwhile may be on two pages; the first place stays. */
function joined(entries: readonly Entry[], more: readonly Entry[]): Entry[] {
  const ids = new Set(entries.map(({ id }) => id));
  return [...entries, ...more.filter(({ id }) => !ids.has(id))];
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

function Table({
  entries,
  board,
  shard,
  player,
}: { entries: readonly Entry[] } & Omit<Props, "period">) {
  const most = entries[0]?.attributes.value ?? 0;
  const hasMatches = entries.some(({ attributes }) => attributes.matches !== undefined);
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
        {entries.map(({ id, attributes: { rank, name, value, matches } }) => (
          <tr key={id} {...(id === player && { className: "boards-found" })}>
            <td className="number">
              <Rank rank={rank} />
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
                <span className="bar" aria-hidden="true">
                  <span style={{ width: `${widthOf(board, value, most)}%` }} />
                </span>
                <strong>{valueText(board, value)}</strong>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Rates are shown of 100 %, other values of the highest one. */
const widthOf = (board: BoardName, value: number, most: number): number => {
  const full = board === "win-rate" ? 1 : most;
  return full > 0 ? Math.min(100, (value / full) * 100) : 0;
};

export function Rank({ rank }: { rank: number | null }) {
  const place = rank !== null && rank <= 3 ? ` boards-rank-${rank}` : "";
  return <span className={`boards-rank${place}`}>{rank === null ? "–" : count(rank)}</span>;
}
