/** GET /player-names and /shards/{shard}/player-names: players by a name that may be incomplete or mistyped. */

import { jsonContent } from "../../document/content.ts";
import { readEncodedMatch } from "../../document/encoded-match.ts";
import { pieceIn, withoutComma } from "../../document/fragment.ts";
import { piecesText } from "../../document/join-pieces.ts";
import { isResourceId } from "../../domain/identifiers.ts";
import type { Resource } from "../../domain/json.ts";
import { skillTier } from "../../domain/rank.ts";
import { formatTimestamp } from "../../domain/time.ts";
import {
  type AllShardsRequest,
  type RecordsRequest,
  readQuery,
  type ShardRequest,
  type ShardResult,
  unpagedDocument,
} from "../../endpoint/shard-request.ts";
import type { Query } from "../../query/parse-query.ts";
import { type PlayerListing, type Reader, StoreError } from "../../store/store.ts";
import { findSimilar, type SimilarPlayer } from "./find.ts";
import { MAX_NAMES, NAMES } from "./parameters.ts";
import { RANKS } from "./similar-names.ts";

export async function getPlayerNames(request: ShardRequest): Promise<ShardResult> {
  const query = readQuery(request, NAMES);
  const near = query.values["filter[near]"]!;
  const found = await findPlayers(near, request.reader, request.shard);
  return resultOf(request, query, found, {});
}

/** A shard that cannot answer does not keep the others from it. */
export async function searchPlayerNames(request: AllShardsRequest): Promise<ShardResult> {
  const query = readQuery(request, NAMES);
  const near = query.values["filter[near]"]!;
  const found: FoundPlayer[] = [];
  const matches: object[] = [];
  const failures = new Map<string, StoreError>();
  await Promise.all(
    request.shards.map(async (shard) => {
      try {
        const reader = await request.reader(shard);
        if (!reader) return;
        found.push(...(await findPlayers(near, reader, shard)));
        matches.push(...(await findMatch(near, reader, shard)));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        failures.set(shard, error);
      }
    }),
  );
  const errors = [...failures].map(([shard, error]) => request.failed(shard, error));
  if (errors.length > 0 && errors.length === request.shards.length) throw errors[0];
  const unavailable = [...failures.keys()].sort();
  const meta = unavailable.length > 0 ? { unavailable } : {};
  return resultOf(request, query, found, meta, matches);
}

type NamesQuery = Query<typeof NAMES.parameters>;

interface FoundPlayer extends SimilarPlayer {
  shard: string;
}

/** The player with this id before all others. */
const SAME_ID = -1;

async function findPlayers(near: string, reader: Reader, shard: string): Promise<FoundPlayer[]> {
  const [same] = isResourceId(near) ? await reader.players([near]) : [];
  const similar = await findSimilar(near, reader, MAX_NAMES);
  return [
    ...(same ? [{ player: same, rank: SAME_ID, shard }] : []),
    ...similar.filter(({ player }) => player.id !== same?.id).map((found) => ({ ...found, shard })),
  ];
}

async function findMatch(id: string, reader: Reader, shardId: string): Promise<object[]> {
  const stored = isResourceId(id) ? (await reader.match(id))?.matches[0] : undefined;
  if (!stored) return [];
  const { resource } = readEncodedMatch(stored);
  const { createdAt } = (JSON.parse(piecesText([resource])) as Resource).attributes;
  return [{ type: "match", id, attributes: { shardId, createdAt } }];
}

function resultOf(
  request: RecordsRequest,
  query: NamesQuery,
  found: FoundPlayer[],
  meta: object,
  matches: readonly object[] = [],
): ShardResult {
  const similar = found.filter(({ rank }) => rank < RANKS.nearest);
  const isNearest = similar.length === 0 && matches.length === 0 && found.length > 0;
  const players = (isNearest ? found : similar).sort(closestFirst).map(itemOf);
  const data = [...matches, ...players].slice(0, MAX_NAMES);
  const content = jsonContent(data);
  const whole = { ...meta, ...(isNearest ? { nearest: true } : {}) };
  const shown = Object.keys(whole).length > 0 ? whole : undefined;
  const document = unpagedDocument(request, query, content, shown);
  return { document, records: data.length, tag: "collection" };
}

/** By rank, then the most recent match. */
function closestFirst(one: FoundPlayer, other: FoundPlayer): number {
  return (
    one.rank - other.rank ||
    (other.player.lastMatchAt ?? 0) - (one.player.lastMatchAt ?? 0) ||
    (keyOf(one) < keyOf(other) ? -1 : 1)
  );
}

const keyOf = ({ player, shard }: FoundPlayer) => `${player.name} ${player.id} ${shard}`;

function itemOf({ player, shard: shardId }: FoundPlayer): object {
  const { id, name, lastMatchAt } = player;
  const tier = tierOf(player);
  return {
    type: "player-name",
    id,
    attributes: {
      name,
      shardId,
      ...(tier === undefined ? {} : { skillTier: tier }),
      ...(lastMatchAt === undefined ? {} : { lastMatchAt: formatTimestamp(lastMatchAt) }),
    },
  };
}

const tierOf = ({ resource }: PlayerListing): number | undefined =>
  skillTier(JSON.parse(piecesText([withoutComma(pieceIn(resource))])) as Resource);
