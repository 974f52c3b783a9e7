/** What all endpoints that return records share: their request, result and query parsing. */

import type { LiveKey } from "../access/key-lookup.ts";
import { type Document, restOf } from "../document/assemble.ts";
import type { TagKind } from "../document/entity-tag.ts";
import { linkLength, selfLink } from "../document/links.ts";
import { type Awaitable, after } from "../domain/awaitable.ts";
import { INCLUDE_PATHS, RESOURCE_TYPES } from "../domain/vocabulary.ts";
import type { DescribedRoute } from "../openapi/responses.ts";
import type { Endpoint, Parameters, ValuesOf } from "../query/endpoint.ts";
import { type MATCH_FILTERS, MAX_URL_LENGTH, type SINGLE } from "../query/parameters.ts";
import { parseQuery, type Query } from "../query/parse-query.ts";
import type { GivenParameters, MatchFilters, Shape } from "../query/query.ts";
import type { Reader, StoreError, Vocabulary } from "../store/store.ts";
import type { CompatProfile } from "./compat-profile.ts";
import { ApiError, apiError, uriTooLong } from "./errors.ts";
import type { ResultCache } from "./result-cache.ts";

/** A request that has passed every check except that of its parameters. */
export interface RecordsRequest {
  query: string;
  /** The URL of this resource without the query string, for links. */
  url: string;
  now: number;
  maxOffset: number;
  profile: CompatProfile;
}

export interface ShardRequest extends RecordsRequest {
  requestId: string;
  reader: Reader;
  shard: string;
  /** The id in the path, or what it has instead; empty if there is none. */
  id: string;
  results: ResultCache;
  raw: Request;
  key: LiveKey;
  /** What features keep while the server runs, by their names. */
  running: ReadonlyMap<string, unknown>;
}

/** A request over all shards that its key may read. */
export interface AllShardsRequest extends RecordsRequest {
  shards: readonly string[];
  reader(shard: string): Awaitable<Reader | undefined>;
  /** Logs why a shard cannot answer, and returns the error to send if no other shard can. */
  failed(shard: string, error: StoreError): ApiError;
}

export interface ShardResult {
  document: Document;
  /** The number of records in its primary data. */
  records: number;
  /** The matches among them, which count against the daily quota. Absent: none do. */
  matches?: readonly number[];
  tag: TagKind;
}

interface DescribedRecords
  extends Pick<
    DescribedRoute,
    "path" | "summary" | "description" | "response" | "segments" | "codes"
  > {
  access: "key";
  takes: Endpoint;
}

/** A route that returns records: requires an API key and the Accept header. */
export type RecordsRoute = DescribedRecords &
  (
    | {
        /** Whether the daily quota applies. */
        readsMatches?: true;
        endpoint: (request: ShardRequest) => Awaitable<ShardResult>;
        /** If it can also be read as a stream of events: returns the body; null for HEAD. */
        stream?: (request: ShardRequest) => Promise<ReadableStream<Uint8Array> | null>;
      }
    | { allShards: (request: AllShardsRequest) => Promise<ShardResult> }
  );

/** The links of such a query are never too long, although a character may become nine when it is escaped. */
const SHORT = 500;

/** Parses the query string, after the profile has adapted it. `vocabulary` is what `include` and `fields` may name. */
export function readQuery<P extends Parameters>(
  { query, profile, url, now, maxOffset }: RecordsRequest,
  endpoint: Endpoint<P>,
  vocabulary: Vocabulary = NO_WORDS,
): Query<P> {
  if (query === "" && endpoint.required.length === 0) return NOTHING_GIVEN;
  const adapted = profile.query(query, endpoint, vocabulary.types);
  const parsed = parseQuery(adapted, endpoint, { ...vocabulary, now, maxOffset });
  if (!parsed.ok) throw new ApiError(parsed.problems);
  if (query.length > SHORT && linkLength(url, parsed.query.given, endpoint) > MAX_URL_LENGTH) {
    throw uriTooLong();
  }
  return parsed.query;
}

const NOTHING_GIVEN = { values: {}, given: [] };

const NO_WORDS: Vocabulary = { includePaths: new Set(), types: new Set() };
const STANDARD_PATHS: ReadonlySet<string> = new Set(INCLUDE_PATHS);
const STANDARD_TYPES: ReadonlySet<string> = new Set(RESOURCE_TYPES);

/** The same for endpoints that take `include` and `fields`. `includePaths`: instead of those of matches. */
export const readShapedQuery = <P extends Parameters>(
  request: ShardRequest,
  endpoint: Endpoint<P>,
  includePaths?: ReadonlySet<string>,
): Awaitable<Query<P>> =>
  after(vocabularyOf(request), (known) =>
    readQuery(request, endpoint, includePaths ? { types: known.types, includePaths } : known),
  );

/** What `include` and `fields` may name: standard words, and those of the records. Read only if there is a query string. */
const vocabularyOf = ({ query, reader, profile }: ShardRequest): Awaitable<Vocabulary> =>
  after(
    query === "" ? NO_WORDS : reader.vocabulary(),
    (extra) => vocabularies.get(profile)?.get(extra) ?? wholeVocabulary(extra, profile),
  );

/** Cached by profile and by the object a reader returns, which is the same until the vocabulary changes. */
const vocabularies = new WeakMap<CompatProfile, WeakMap<Vocabulary, Vocabulary>>();

function wholeVocabulary(extra: Vocabulary, profile: CompatProfile): Vocabulary {
  const whole = {
    includePaths: STANDARD_PATHS.union(extra.includePaths).union(profile.includePaths),
    types: STANDARD_TYPES.union(extra.types),
  };
  const cached = vocabularies.get(profile) ?? new WeakMap<Vocabulary, Vocabulary>();
  vocabularies.set(profile, cached.set(extra, whole));
  return whole;
}

/** Which related resources and fields a query wants. */
export const shapeOf = ({ values }: Query<typeof SINGLE.parameters>): Shape => ({
  include: values.include,
  fields: values.fields,
});

export const matchFilters = (values: ValuesOf<typeof MATCH_FILTERS>): MatchFilters => ({
  playerNames: values["filter[playerNames]"],
  playerIds: values["filter[playerIds]"],
  teamNames: values["filter[teamNames]"],
  gameModes: values["filter[gameMode]"],
  patchVersions: values["filter[patchVersion]"],
});

/** A document without pages: its only link is `self`. */
export function unpagedDocument(
  { url, profile }: RecordsRequest,
  { given }: { given: GivenParameters },
  content: Document["content"],
  meta: object | undefined = profile.meta,
): Document {
  return { content, rest: restOf(selfLink(url, given), meta) };
}

/** No id or name contains U+0000, and a store may be unable to search for it. */
export const isSearchable = (text: string): boolean => !text.includes("\0");
export const searchable = (texts: string[]): string[] => texts.filter(isSearchable);

/** Some profiles return 404 for an empty list. */
export function checkEmpty({ profile }: ShardRequest, what: "match" | "player"): void {
  if (!profile.emptyIsMissing) return;
  throw apiError(
    "not-found",
    `No ${what} found. Check the filters${what === "match" ? ", the time window and the page" : ""}.`,
  );
}

/** The same message whether a record was never received or is withheld. */
export function notFound(what: "match" | "player"): ApiError {
  return apiError(
    "not-found",
    `There is no ${what} with this id in this shard. Ids are case-sensitive and belong to one shard.`,
  );
}
