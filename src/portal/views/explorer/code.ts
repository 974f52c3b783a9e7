/** In charge of the TypeScript of a query: a whole program, with the client's own words for it. */

import type { MatchesQuery, PlayersQuery, RecordQuery } from "../../../../client/src/index.ts";
import { GAME_MODES } from "../../../domain/modes.ts";
import { splitList } from "../../../query/comma-list.ts";
import { fieldsType, findParameter } from "../../../query/parameters.ts";
import { isSingle, type Query, type Target } from "./query.ts";
import { pathOf } from "./request.ts";

/** The client's words for parameters. `fields[TYPE]` is a member of its own. */
type Words<Query> = Readonly<Record<string, keyof Query>>;

const OF_RECORDS: Words<RecordQuery> = { include: "include" };
const OF_PLAYERS: Words<PlayersQuery> = {
  "filter[playerNames]": "names",
  "filter[playerIds]": "ids",
  "page[limit]": "limit",
  include: "include",
};
const OF_MATCHES: Words<MatchesQuery> = {
  "filter[playerNames]": "playerNames",
  "filter[playerIds]": "playerIds",
  "filter[teamNames]": "teamNames",
  "filter[gameMode]": "gameMode",
  "filter[patchVersion]": "patchVersion",
  "filter[createdAt-start]": "createdAtStart",
  "filter[createdAt-end]": "createdAtEnd",
  sort: "sort",
  "page[limit]": "limit",
  "page[offset]": "offset",
  "page[after]": "after",
  "page[before]": "before",
  include: "include",
};
const WORDS: Readonly<Record<Target, Readonly<Record<string, string>>>> = {
  matches: OF_MATCHES,
  players: OF_PLAYERS,
  match: OF_RECORDS,
  player: OF_RECORDS,
};

/** What follows the query in the program, so that it shows something. */
const SHOWN: Readonly<Record<Target, readonly string[]>> = {
  matches: [
    "// One page. To walk through all of them: for await (const match of matches) …",
    "const { items } = await matches.page();",
    "for (const match of items) console.log(match.createdAt, match.gameMode, match.id);",
  ],
  players: ["for (const player of players) console.log(player.name, player.stats, player.id);"],
  match: ["console.log(match.createdAt, match.gameMode, match.rosters.length);"],
  player: ["console.log(player.name, player.stats);"],
};

export function codeOf(query: Query, url: string, key: string): string {
  return [
    `import { Matchbook } from ${text("matchbook-client")};`,
    "",
    `const matchbook = new Matchbook({ url: ${text(url)}, key: ${text(key)} });`,
    ...(callOf(query) ?? plainCallOf(query)),
    "",
  ].join("\n");
}

/** Undefined where the client has no words for a parameter: then the address itself is asked. */
function callOf(query: Query): string[] | undefined {
  const { shard, on, id } = query;
  const members = membersOf(query);
  if (!members || shard === "") return undefined;
  const options = members.length === 0 ? "" : `{\n${members.map((one) => `  ${one},\n`).join("")}}`;
  const given = isSingle(on) ? [text(id || "ID"), options] : [options];
  const call = `matchbook.shard(${text(shard)}).${on}(${given.filter(Boolean).join(", ")})`;
  return [`const ${on} = ${on === "matches" ? "" : "await "}${call};`, ...SHOWN[on]];
}

function plainCallOf(query: Query): string[] {
  return [
    `const { document } = await matchbook.get(${text(pathOf(query))});`,
    "console.log(document);",
  ];
}

/** `playerNames: ["Ada"]` and so on. Undefined when something cannot be said so. */
function membersOf({ on, parameters }: Query): string[] | undefined {
  const words = new Map(Object.entries(WORDS[on]));
  const members = new Map<string, string>();
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    const kind = findParameter(name)?.kind;
    const member = kind === "fields" ? fieldsType(name) : words.get(name);
    const written = kind && writers[kind]?.(value);
    const into = kind === "fields" ? fields : members;
    if (member === undefined || written === undefined || into.has(member)) return undefined;
    if (!WORD.test(member)) return undefined;
    into.set(member, written);
  }
  if (fields.size > 0) {
    members.set(
      "fields",
      `{ ${[...fields].map(([type, list]) => `${type}: ${list}`).join(", ")} }`,
    );
  }
  return [...members].map(([member, written]) => `${member}: ${written}`);
}

/** What can stand before a colon as it is. */
const WORD = /^[A-Za-z]\w*$/;

/** How a value is written in TypeScript, by the kind of its parameter. */
const writers: Readonly<Record<string, (value: string) => string | undefined>> = {
  limit: number,
  offset: number,
  cursor: given,
  sort: (value) => (/^-?createdAt$/.test(value) ? text(value) : undefined),
  timestamp: given,
  list,
  modes: (value) => (value.split(",").every(isMode) ? list(value) : undefined),
  include: emptyOrList,
  fields: emptyOrList,
};

function text(value: string): string {
  return JSON.stringify(value);
}

function given(value: string): string | undefined {
  return value === "" ? undefined : text(value);
}

function number(value: string): string | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(value) ? value : undefined;
}

function list(value: string): string | undefined {
  const items = splitList(value);
  return typeof items === "string" ? undefined : `[${items.map(text).join(", ")}]`;
}

function emptyOrList(value: string): string | undefined {
  return value === "" ? "[]" : list(value);
}

const isMode = (mode: string): boolean => GAME_MODES.some((known) => known === mode);
