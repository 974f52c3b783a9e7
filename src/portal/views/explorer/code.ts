/** Turns a query into a TypeScript program that uses the client library. */

import type { MatchesQuery, PlayersQuery, RecordQuery } from "../../../../client/src/index.ts";
import { GAME_MODES } from "../../../domain/modes.ts";
import { splitList } from "../../../query/comma-list.ts";
import { fieldsType, findParameter } from "../../../query/parameters.ts";
import type { Query } from "./query.ts";
import { pathOf } from "./request.ts";
import type { Target } from "./targets.ts";

/** The client's option for each parameter. `fields[TYPE]` is handled separately. */
type OptionNames<Options> = Readonly<Record<string, keyof Options>>;

const OF_RECORDS: OptionNames<RecordQuery> = { include: "include" };
const OF_PLAYERS: OptionNames<PlayersQuery> = {
  "filter[playerNames]": "names",
  "filter[playerIds]": "ids",
  "page[limit]": "limit",
  include: "include",
};
const OF_MATCHES: OptionNames<MatchesQuery> = {
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
/** The targets that a program reads with a method of the client. It requests the URL of the others. */
const OPTION_NAMES: Readonly<Partial<Record<Target, Readonly<Record<string, string>>>>> = {
  matches: OF_MATCHES,
  players: OF_PLAYERS,
  match: OF_RECORDS,
  player: OF_RECORDS,
};

/** The rest of the program, which prints the result. */
const PRINTED: Readonly<Partial<Record<Target, readonly string[]>>> = {
  matches: [
    "// One page. For all matches: for await (const match of matches) { … }",
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
    ...(callOf(query) ?? urlCallOf(pathOf(query))),
    "",
  ].join("\n");
}

/** Undefined if the client has no option for a parameter; then the program requests the URL itself. */
function callOf(query: Query): string[] | undefined {
  const { shard, on, id } = query;
  const members = membersOf(query);
  if (!members || shard === "") return undefined;
  const options = members.length === 0 ? "" : `{\n${members.map((one) => `  ${one},\n`).join("")}}`;
  const given = on === "match" || on === "player" ? [text(id || "ID"), options] : [options];
  const call = `matchbook.shard(${text(shard)}).${on}(${given.filter(Boolean).join(", ")})`;
  return [`const ${on} = ${on === "matches" ? "" : "await "}${call};`, ...(PRINTED[on] ?? [])];
}

/** A program that requests a path, for endpoints that are not in the explorer. */
export function codeOfPath(path: string, url: string, key: string | undefined): string {
  const options = key === undefined ? "" : `, key: ${text(key)}`;
  return [
    `import { Matchbook } from ${text("matchbook-client")};`,
    "",
    `const matchbook = new Matchbook({ url: ${text(url)}${options} });`,
    ...urlCallOf(path),
    "",
  ].join("\n");
}

const urlCallOf = (path: string): string[] => [
  `const { document } = await matchbook.get(${text(path)});`,
  "console.log(document);",
];

/** Option members such as `playerNames: ["Ada"]`. Undefined if a parameter cannot be written this way. */
function membersOf({ on, parameters }: Query): string[] | undefined {
  const options = OPTION_NAMES[on];
  if (!options) return undefined;
  const names = new Map(Object.entries(options));
  const members = new Map<string, string>();
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    const kind = findParameter(name)?.kind;
    const member = kind === "fields" ? fieldsType(name) : names.get(name);
    const written = kind && writers[kind]?.(value);
    const into = kind === "fields" ? fields : members;
    if (member === undefined || written === undefined || into.has(member)) return undefined;
    if (!BARE_KEY.test(member)) return undefined;
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

/** A key that needs no quotes. */
const BARE_KEY = /^[A-Za-z]\w*$/;

/** Writes a value in TypeScript, by the kind of its parameter. */
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
