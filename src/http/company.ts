/** GET /shards/{shard}/players/{id}/company: with whom and against whom a player played. */

import { contentOf } from "../document/content.ts";
import { companyContent } from "../document/insights.ts";
import { selfLink } from "../document/links.ts";
import { sidesIn } from "../document/record.ts";
import { restOf } from "../document/stitch.ts";
import { COMPANY_MODES, companyOf, MAX_COMPANY_MATCHES, sidesByResult } from "../domain/company.ts";
import { formatTimestamp } from "../domain/time.ts";
import { parseCompanyQuery } from "../query/parse-query.ts";
import type { CompanyQuery } from "../query/query.ts";
import type { Lineup, Selection } from "../store/store.ts";
import {
  NO_MATCHES,
  notFound,
  parseQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
} from "./shard-request.ts";

const NONE: ReadonlySet<string> = new Set();

export async function getCompany(request: ShardRequest): Promise<ShardResult> {
  const { now, maxOffset, id, url } = request;
  const context = { now, maxOffset, includePaths: NONE, types: NONE };
  const query = parseQuery(parseCompanyQuery, request, "company", context);
  const found = await request.results.find(request, `company of ${id}`, query.window, () =>
    findCompany(request, query),
  );
  request.watch.lap("store");
  const { content, records, matches, isTruncated } = found;
  const window = {
    start: formatTimestamp(query.window.start),
    end: formatTimestamp(query.window.end),
  };
  const links = selfLink(url, query.given);
  const document = {
    content,
    rest: restOf(links, { matches, window, isTruncated }),
    lasting: restOf(links, { matches, isTruncated }),
  };
  return { document, records, matches: NO_MATCHES, tag: "collection" };
}

async function findCompany({ reader, id }: ShardRequest, { window, limit }: CompanyQuery) {
  const [player] = await reader.players(searchable([id]));
  if (!player) throw notFound("player");
  const { lineups, hasMore } = await reader.lineups(matchesOf(id, window));
  const company = companyOf(id, lineups.map(companyMatch)).slice(0, limit);
  return {
    content: contentOf(companyContent(company, namesIn(lineups))),
    records: company.length,
    matches: lineups.length,
    isTruncated: hasMore,
  };
}

const matchesOf = (playerId: string, window: Selection["window"]): Selection => ({
  window,
  sort: "-createdAt",
  pageStart: { from: "offset", offset: 0 },
  limit: MAX_COMPANY_MATCHES,
  players: [[playerId]],
  teams: [],
  gameModes: [...COMPANY_MODES],
  patchVersions: undefined,
});

/** Most matches need not be inflated. */
const companyMatch = ({ createdAt, players, match }: Lineup) => ({
  createdAt,
  sides: sidesByResult(players) ?? sidesIn(match),
});

const namesIn = (lineups: readonly Lineup[]): ReadonlyMap<string, string> =>
  new Map(lineups.flatMap(({ players }) => players.map(({ id, name }) => [id, name])));
