/**
 * What search engines and link previews show of a page of the portal: its title and description. Players and matches are
 * read from the store, as a visitor would read them and under a visitor's limits. Otherwise the texts are generic.
 */

import { matchHash, readEncodedMatch } from "../document/encoded-match.ts";
import { pieceIn, withoutComma } from "../document/fragment.ts";
import { piecesText } from "../document/gzip.ts";
import { isShardId } from "../domain/identifiers.ts";
import type { Board } from "../domain/leaderboards.ts";
import { MODE_NAMES } from "../domain/modes.ts";
import { type Reader, StoreError } from "../store/store.ts";
import { isolated } from "../text/isolated.ts";
import { consumeQuota, takeRequest } from "./admission.ts";
import type { ServerContext } from "./context.ts";
import { ApiError } from "./errors.ts";
import type { PageHead } from "./portal.ts";
import type { ApiRequest } from "./request.ts";
import { decodedSegments } from "./routes.ts";
import { isSearchable } from "./shard-request.ts";

type Texts = Omit<PageHead, "baseUrl" | "path" | "kind">;

/** A page does not wait longer for a store that is slow. */
const PATIENCE_MS = 2000;

const START: Texts = {
  title: "Matchbook",
  description:
    "Search players and matches, follow new matches live, and compare heroes and leaderboards by region.",
};

const BOARD_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "skill-tier": "Highest skill tier",
    "ranked-wins": "Most ranked wins",
    "win-rate": "Best ranked win rate",
    "win-streak": "Longest win streak",
  } satisfies Record<Board, string>),
);

const DEVELOPER_PAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    keys: "Keys and limits",
    guides: "Guides",
    endpoints: "Endpoints",
    explorer: "Explorer",
    usage: "Usage",
    changelog: "Changelog",
  }),
);

/** Anything can be in a URL: only what may be a region is repeated. */
const regionOf = (shard: string): string => (isShardId(shard) ? `region ${shard}` : "a region");

/** Never throws. */
export async function pageHead(context: ServerContext, request: ApiRequest): Promise<PageHead> {
  const [, portal, ...rest] = decodedSegments(request.path);
  const isStart = portal !== "portal" || rest.length === 0;
  const path = isStart ? "/" : request.path;
  const [shard = "", kind = "", id = ""] = rest;
  const isRecord = rest.length === 3 && (kind === "players" || kind === "matches");
  const texts = isRecord
    ? ((await readTexts(context, request, shard, kind, id)) ?? recordTexts(shard, kind))
    : pageTexts(isStart ? [] : rest);
  const baseUrl = request.baseUrl();
  return { ...texts, baseUrl, path, kind: kind === "players" ? "profile" : "website" };
}

function pageTexts([first = "", second = "", third = ""]: string[]): Texts {
  if (first === "") return START;
  if (first === "status") {
    return titled(
      "Status",
      "Which regions are available, and how recent their newest matches are.",
    );
  }
  if (first === "developers") {
    const page = DEVELOPER_PAGES.get(second);
    return titled(
      page ? `${page} · Developers` : "Developers",
      page
        ? `${page}: the read-only JSON:API of completed matches and player records behind this site.`
        : "The read-only JSON:API behind this site: quick start, keys and limits, guides, every endpoint, and an explorer.",
    );
  }
  const region = regionOf(first);
  if (second === "heroes") {
    return titled(
      `Heroes in ${region}`,
      `How often each hero is played and wins in ${region}, by mode and patch.`,
    );
  }
  if (second === "leaderboards") {
    const board = BOARD_NAMES.get(third) ?? "Leaderboards";
    return titled(`${board} in ${region}`, `The best players of ${region}.`);
  }
  return START;
}

const recordTexts = (shard: string, kind: "players" | "matches"): Texts =>
  kind === "players"
    ? titled("Player", `A player of ${regionOf(shard)}: record, recent matches and heroes.`)
    : titled("Match", `A match of ${regionOf(shard)}: both line-ups, scores and items.`);

const titled = (name: string, description: string): Texts => ({
  title: `${name} · Matchbook`,
  description,
});

/** Undefined if visitors may not read it, or cannot now. */
async function readTexts(
  context: ServerContext,
  request: ApiRequest,
  shard: string,
  kind: "players" | "matches",
  id: string,
): Promise<Texts | undefined> {
  if (!context.visitors || !isSearchable(id)) return undefined;
  const read = kind === "players" ? readPlayer : readMatch;
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, PATIENCE_MS);
  try {
    return await Promise.race([readAs(context, request, shard, id, read), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

type ReadTexts = (
  reader: Reader,
  id: string,
  shard: string,
  allow: (matches: number[]) => Promise<void>,
) => Promise<Texts | undefined>;

async function readAs(
  context: ServerContext,
  request: ApiRequest,
  shard: string,
  id: string,
  read: ReadTexts,
): Promise<Texts | undefined> {
  const visitor = context.visitors!.at(request.clientAddress());
  const { time } = request;
  let isInFlight = false;
  try {
    if (!context.keys.mayRead(visitor, shard)) return undefined;
    if (!context.overload.enter(shard, context.clock.monotonic())) return undefined;
    isInFlight = true;
    const { allowed } = await takeRequest(context, visitor, context.clock.monotonic());
    if (!allowed) return undefined;
    const reader = await context.shards.reader(shard);
    if (!reader) return undefined;
    return await read(reader, id, shard, (matches) =>
      consumeQuota(context, visitor, matches, time),
    );
  } catch (error) {
    // Whatever is wrong with the store, the page's own requests will report it.
    if (error instanceof ApiError || error instanceof StoreError) return undefined;
    context.observe({ event: "failure", requestId: request.requestId, error });
    return undefined;
  } finally {
    if (isInFlight) context.overload.leave(shard);
  }
}

// Attributes are open sets: every value may be missing, or of another type.
type Stats = Record<string, unknown>;
interface Resource {
  type: string;
  attributes?: Stats & { stats?: Stats };
}

const readPlayer: ReadTexts = async (reader, id, shard) => {
  const [player] = await reader.players([id]);
  if (!player) return undefined;
  const { attributes } = JSON.parse(
    piecesText([withoutComma(pieceIn(player.resource))]),
  ) as Resource;
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
  return titled(isolated(shortened(player.name)), `Player of region ${shard}${figuresText}.`);
};

const readMatch: ReadTexts = async (reader, id, shard, allow) => {
  const bundle = await reader.match(id);
  const [stored] = bundle?.matches ?? [];
  if (!stored) return undefined;
  await allow([matchHash(stored)]);
  const { resource, included } = readEncodedMatch(stored);
  const { attributes = {} } = JSON.parse(piecesText([resource])) as Resource;
  const others = JSON.parse(`[${piecesText([included])}]`) as Resource[];
  const mode = modeName(attributes.gameMode);
  const day = String(attributes.createdAt).slice(0, "2026-11-15".length);
  const { duration } = attributes;
  const minutes = isCount(duration) ? ` It took ${Math.round(duration / 60)} minutes.` : "";
  return titled(
    `${mode} match, ${day}`,
    `Match in region ${shard}.${resultText(others.filter(({ type }) => type === "roster"))}${minutes}`,
  );
};

/** " The blue side won with 18 to 9 kills." */
function resultText(rosters: Resource[]): string {
  const won = rosters.filter(({ attributes }) => attributes?.won === "true");
  const [winner] = won;
  const loser = rosters.find((roster) => roster !== winner);
  if (won.length !== 1 || rosters.length !== 2) return "";
  const { side, heroKills } = winner?.attributes?.stats ?? {};
  const others = loser?.attributes?.stats?.heroKills;
  const colour = typeof side === "string" ? side.split("/").at(-1)! : "";
  if (!/^[a-z]{1,16}$/i.test(colour)) return "";
  const kills =
    isCount(heroKills) && isCount(others) ? ` with ${heroKills} to ${others} kills` : "";
  return ` The ${colour} side won${kills}.`;
}

function modeName(mode: unknown): string {
  return typeof mode === "string" && Object.hasOwn(MODE_NAMES, mode)
    ? MODE_NAMES[mode as keyof typeof MODE_NAMES]
    : "Other";
}

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
