/**
 * The head of a page of the portal: the title and description that search engines and link previews show, and the data
 * that its scripts would otherwise request first. The player or match of a page is read like a request of a visitor,
 * and under a visitor's limits. If it cannot be read, the texts are generic.
 */

import { plainBody } from "../document/join-pieces.ts";
import { isShardId } from "../domain/identifiers.ts";
import { MODE_NAMES } from "../domain/modes.ts";
import { formatTimestamp } from "../domain/time.ts";
import { ApiError, errorDocument } from "../endpoint/errors.ts";
import { StoreError } from "../store/store.ts";
import { isolated } from "../text/isolated.ts";
import { consumeQuota, takeRequest } from "./admission.ts";
import type { ServerContext } from "./context.ts";
import { getMatch } from "./matches.ts";
import { getPlayer } from "./players.ts";
import type { PageHead, PageRecord, PageRegion } from "./portal.ts";
import { shardRequest } from "./records-request.ts";
import type { ApiRequest } from "./request.ts";
import type { PageRoute, View } from "./routes.ts";

type Texts = Pick<PageHead, "title" | "description">;

/** A page, and the region and id in its path. */
interface Found extends Pick<PageRoute, "topic"> {
  view: View;
  shard: string;
  id: string;
}

/** A page does not wait longer for a store that is slow. */
const RECORD_PATIENCE_MS = 2000;
/** Without the regions, the page requests them: it is shown meanwhile. */
const REGIONS_PATIENCE_MS = 1000;

const START: Texts = {
  title: "Matchbook",
  description:
    "Search players and matches, follow new matches live, and compare heroes and leaderboards by region.",
};

const BOARD_NAMES: ReadonlyMap<string, string> = new Map([
  ["skill-tier", "Highest skill tier"],
  ["ranked-wins", "Most ranked wins"],
  ["win-rate", "Best ranked win rate"],
  ["win-streak", "Longest win streak"],
]);

/** Anything can be in a URL: only what may be a region is repeated. */
const regionOf = (shard: string): string => (isShardId(shard) ? `region ${shard}` : "a region");

/** Never throws. */
export async function pageHead(
  context: ServerContext,
  request: ApiRequest,
  found: Found,
): Promise<PageHead> {
  const { view, shard } = found;
  const isRecord = view === "player" || view === "match";
  const [regions, record] = await Promise.all([
    within(REGIONS_PATIENCE_MS, readRegions(context)),
    isRecord && context.visitors
      ? within(RECORD_PATIENCE_MS, readRecord(context, request, found))
      : undefined,
  ]);
  const isUnknownRegion = shard !== "" && regions?.some((one) => one.id === shard) === false;
  const isMissing = isUnknownRegion || record?.status === 404;
  const baseUrl = request.baseUrl();
  return {
    ...(isMissing
      ? notFoundTexts(isUnknownRegion ? "region" : (view as "player" | "match"))
      : textsOf(found, record)),
    status: isMissing ? 404 : 200,
    baseUrl,
    path: view === "start" && shard === "" ? "/" : request.path,
    kind: view === "player" ? "profile" : "website",
    // A guide is a script of its own.
    scripts: view === "developers" ? [view, request.path.split("/").at(-1)!] : [view],
    data: { regions, record, token: context.visitors?.issue(request.time) },
  };
}
function textsOf({ view, topic, shard, id }: Found, record: PageRecord | undefined): Texts {
  const region = regionOf(shard);
  switch (view) {
    case "player":
      return (
        (record && playerTexts(record, shard)) ??
        titled("Player", `A player of ${region}: record, recent matches and heroes.`)
      );
    case "match":
      return (
        (record && matchTexts(record, shard)) ??
        titled("Match", `A match of ${region}: both line-ups, scores and items.`)
      );
    case "heroes":
      return titled(
        `Heroes in ${region}`,
        `How often each hero is played and wins in ${region}, by mode and patch.`,
      );
    case "leaderboards": {
      const board = BOARD_NAMES.get(id) ?? "Leaderboards";
      return titled(`${board} in ${region}`, `The best players of ${region}.`);
    }
    case "status":
      return titled(
        "Status",
        "Which regions are available, and how recent their newest matches are.",
      );
    case "developers":
    case "explorer":
      return titled(
        topic ? `${topic} · Developers` : "Developers",
        `${topic ?? "For developers"}: the read-only JSON:API of completed matches and player records behind this site.`,
      );
    case "start":
      return shard === "" ? START : titled(`Players of ${region}`, START.description);
  }
}

const notFoundTexts = (what: "region" | "player" | "match"): Texts =>
  titled(`No such ${what}`, `There is no such ${what}. Search for a player by name.`);

const titled = (name: string, description: string): Texts => ({
  title: `${name} · Matchbook`,
  description,
});

/** Undefined if it takes longer. */
async function within<T>(patienceMs: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, patienceMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Undefined if they cannot be listed: the page's own request will report it. */
async function readRegions({ shardStates }: ServerContext): Promise<PageRegion[] | undefined> {
  try {
    return (await shardStates()).map(({ id, available, newestMatch }) => ({
      id,
      available,
      newestMatch: newestMatch === undefined ? null : formatTimestamp(newestMatch),
    }));
  } catch {
    return undefined;
  }
}

/** The response to the page's own request for it. Undefined if visitors may not read it, or cannot now. */
async function readRecord(
  context: ServerContext,
  request: ApiRequest,
  found: Found,
): Promise<PageRecord | undefined> {
  const { shard, id } = found;
  const isPlayer = found.view === "player";
  const path = `/shards/${encodeURIComponent(shard)}/${isPlayer ? "players" : "matches"}/${encodeURIComponent(id)}`;
  const visitor = context.visitors!.at(request.clientAddress());
  let isInFlight = false;
  try {
    if (!context.keys.mayRead(visitor, shard)) return undefined;
    if (!context.overload.enter(shard, context.clock.monotonic())) return undefined;
    isInFlight = true;
    const { allowed } = await takeRequest(context, visitor, context.clock.monotonic());
    if (!allowed) return undefined;
    const reader = await context.shards.reader(shard);
    if (!reader) return undefined;
    const { document, matches } = await (isPlayer ? getPlayer : getMatch)({
      ...shardRequest(context, request, found, reader, visitor),
      query: "",
      url: request.baseUrl() + path,
    });
    await consumeQuota(context, visitor, matches, request.time);
    const text = plainBody(document.content.pieces, document.rest).toString();
    return { path, status: 200, text };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return { path, status: 404, text: errorDocument(error.problems, request.requestId) };
    }
    // Whatever is wrong with the store, the page's own requests will report it.
    if (!(error instanceof ApiError || error instanceof StoreError))
      context.observe({ event: "failure", requestId: request.requestId, error });
    return undefined;
  } finally {
    if (isInFlight) context.overload.leave(shard);
  }
}

// Attributes are open sets: every value may be missing, or of another type.
type Stats = Record<string, unknown>;
interface RecordDocument {
  data: { attributes?: Stats & { stats?: Stats } };
}

function playerTexts({ text }: PageRecord, shard: string): Texts {
  const { attributes } = (JSON.parse(text) as RecordDocument).data;
  const { played, wins, winStreak, skillTier } = attributes?.stats ?? {};
  const figures = [
    isCount(played) ? `${grouped(played)} ${played === 1 ? "match" : "matches"}` : undefined,
    isCount(played) && isCount(wins) && played > 0
      ? `${Math.round((100 * wins) / played)} % won`
      : undefined,
    isCount(skillTier) ? `skill tier ${skillTier}` : undefined,
    isCount(winStreak) && winStreak > 1 ? `${winStreak} wins in a row` : undefined,
  ].filter((figure) => figure !== undefined);
  const figuresText = figures.length > 0 ? `: ${figures.join(", ")}` : "";
  const name = isolated(shortened(String(attributes?.name ?? "")));
  return titled(name, `Player of region ${shard}${figuresText}.`);
}

function matchTexts({ text }: PageRecord, shard: string): Texts {
  const { attributes = {} } = (JSON.parse(text) as RecordDocument).data;
  const day = String(attributes.createdAt).slice(0, "2026-11-15".length);
  return titled(
    `${modeNames.get(attributes.gameMode)} match, ${day}`,
    `Match in region ${shard}: both line-ups, scores and items.`,
  );
}

/** Only matches of these modes are served. */
const modeNames: ReadonlyMap<unknown, string> = new Map(Object.entries(MODE_NAMES));

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

const grouped = (count: number): string => count.toLocaleString("en-GB");

const MOST_CHARACTERS = 80;

/** Names may have any length. */
function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= MOST_CHARACTERS
    ? text
    : `${characters.slice(0, MOST_CHARACTERS - 1).join("")}…`;
}
