/** GET /shards/{shard}/leaderboards/{board}. */

import { restOf } from "../../document/assemble.ts";
import { jsonContent } from "../../document/content.ts";
import { nextLinks } from "../../document/links.ts";
import { RATE_UNIT } from "../../domain/rank.ts";
import { formatTimestamp } from "../../domain/time.ts";
import { apiError } from "../../endpoint/errors.ts";
import {
  readQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
} from "../../endpoint/shard-request.ts";
import type { ValuesOf } from "../../query/endpoint.ts";
import { enumerate } from "../../query/problems.ts";
import type { Running } from "../feature.ts";
import { encodeBoardCursor } from "./cursor.ts";
import { DEFAULT_ENTRIES, type LEADERBOARDS, leaderboard } from "./parameters.ts";
import { BOARDS, type Board, recentDays } from "./ranking.ts";
import { type BoardEntry, type BoardPart, readBoard } from "./stored.ts";

export const NAME = "leaderboards";

export interface RunningBoards extends Running {
  /** How many entries of a leaderboard are listed. */
  depth: number;
}

type Values = ValuesOf<typeof LEADERBOARDS.parameters>;

export async function getLeaderboard(request: ShardRequest): Promise<ShardResult> {
  const { id, url, results } = request;
  const { depth } = request.running.get(NAME) as RunningBoards;
  const board = BOARDS.find((one) => one === id);
  if (!board) {
    const boards = enumerate(BOARDS);
    throw apiError("not-found", `There is no such leaderboard. Available boards: ${boards}.`);
  }
  const { values, given } = readQuery(request, leaderboard(board));
  const { "filter[period]": period = "all" } = values;
  const found = await results.find(request, `leaderboard ${board}`, undefined, () =>
    findEntries(request, board, depth, values),
  );
  const { content, records, next, window } = found;
  const meta = { board, period, ...(window && { window }), depth };
  const rest = restOf(nextLinks(url, given, next), meta);
  return { document: { content, rest }, records, tag: "collection" };
}

async function findEntries(
  { reader }: ShardRequest,
  board: Board,
  depth: number,
  {
    "filter[period]": period = "all",
    "filter[playerIds]": playerIds,
    "page[after]": after,
    "page[limit]": limit = DEFAULT_ENTRIES,
  }: Values,
) {
  const part = playerIds ? { playerIds: searchable(playerIds) } : { after, limit };
  const found = await reader.read(() => readBoard({ board, period, depth, part }));
  const { entries, hasMore } = found;
  const last = entries.at(-1);
  return {
    content: jsonContent(entries.map((entry) => entryResource(board, entry))),
    records: entries.length,
    next: hasMore && last ? encodeBoardCursor(last) : undefined,
    window: period === "all" ? undefined : daysOf(found),
  };
}

const entryResource = (board: Board, { id, name, score, played, rank }: BoardEntry) => ({
  type: "leaderboard-entry",
  id,
  attributes:
    board === "win-rate"
      ? { rank: rank ?? null, name, value: rounded(score), matches: played }
      : { rank: rank ?? null, name, value: score },
  relationships: { player: { data: { type: "player", id } } },
});

const DECIMALS = 10_000;

const rounded = (rate: number): number => Math.round((rate * DECIMALS) / RATE_UNIT) / DECIMALS;

function daysOf({ newestMatch }: BoardPart): { start: string; end: string } | undefined {
  if (newestMatch === undefined) return undefined;
  const { start, end } = recentDays(newestMatch);
  return { start: formatTimestamp(start), end: formatTimestamp(end) };
}
