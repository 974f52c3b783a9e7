/** GET /shards/{shard}/leaderboards/{board}. */

import { contentOf } from "../document/content.ts";
import { leaderboardContent } from "../document/insights.ts";
import { leaderboardLinks } from "../document/links.ts";
import { restOf } from "../document/stitch.ts";
import { BOARDS, type Board, recentDays } from "../domain/leaderboards.ts";
import { formatTimestamp } from "../domain/time.ts";
import { parseLeaderboardQuery } from "../query/parse-query.ts";
import { enumerate } from "../query/problems.ts";
import type { LeaderboardQuery } from "../query/query.ts";
import type { BoardPart } from "../store/store.ts";
import { type ApiError, apiError } from "./errors.ts";
import {
  NO_MATCHES,
  parseQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
} from "./shard-request.ts";

const NONE: ReadonlySet<string> = new Set();

export async function getLeaderboard(request: ShardRequest): Promise<ShardResult> {
  const { now, maxOffset, leaderboardDepth: depth, id, url, results } = request;
  const board = BOARDS.find((one) => one === id);
  if (!board) throw unknownBoard();
  const context = { now, maxOffset, includePaths: NONE, types: NONE };
  const query = parseQuery(
    (raw, given) => parseLeaderboardQuery(raw, given, board),
    request,
    "leaderboards",
    context,
  );
  const found = await results.find(request, `leaderboard ${board}`, undefined, () =>
    findEntries(request, board, query),
  );
  request.watch.lap("store");
  const { content, records, next, window } = found;
  const { period } = query;
  const rest = restOf(leaderboardLinks(url, query, next), {
    board,
    period,
    ...(window && { window }),
    depth,
  });
  return { document: { content, rest }, records, matches: NO_MATCHES, tag: "collection" };
}

async function findEntries(
  { reader, leaderboardDepth: depth }: ShardRequest,
  board: Board,
  { period, playerIds, after, limit }: LeaderboardQuery,
) {
  const part = playerIds ? { playerIds: searchable(playerIds) } : { after, limit };
  const found = await reader.leaderboard({ board, period, depth, part });
  const { entries, hasMore } = found;
  const last = entries.at(-1);
  const window = period === "all" ? undefined : windowOf(found);
  return {
    content: contentOf(leaderboardContent(board, entries)),
    records: entries.length,
    next: hasMore && last ? { score: last.score, id: last.id } : undefined,
    window,
  };
}

interface Days {
  start: string;
  end: string;
}

function windowOf({ newestMatch }: BoardPart): Days | undefined {
  if (newestMatch === undefined) return undefined;
  const { start, end } = recentDays(newestMatch);
  return { start: formatTimestamp(start), end: formatTimestamp(end) };
}

const unknownBoard = (): ApiError =>
  apiError("not-found", `There is no such leaderboard. Available boards: ${enumerate(BOARDS)}.`);
