/** Turns a query into a TypeScript program that uses the client library. */

import { GAME_MODES } from "../../../domain/modes.ts";
import { splitList } from "../../../query/comma-list.ts";
import { fieldsType, findParameter } from "../../../query/parameters.ts";
import type { Query } from "./query.ts";
import { pathOf } from "./request.ts";
import { TARGETS, type Target } from "./targets.ts";

/** The rest of the program, which prints the result. A program requests the URL of the other targets. */
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

export const codeOf = (query: Query, url: string, key: string): string =>
  programOf(callOf(query) ?? urlCallOf(pathOf(query)), url, key);

/** A program that requests a path, for endpoints that are not in the explorer. */
export const codeOfPath = (path: string, url: string, key: string | undefined): string =>
  programOf(urlCallOf(path), url, key);

function programOf(lines: readonly string[], url: string, key: string | undefined): string {
  const options = key === undefined ? "" : `, key: ${text(key)}`;
  return [
    `import { Matchbook } from ${text("matchbook-client")};`,
    "",
    `const matchbook = new Matchbook({ url: ${text(url)}${options} });`,
    ...lines,
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

const urlCallOf = (path: string): string[] => [
  `const { document } = await matchbook.get(${text(path)});`,
  "console.log(document);",
];

/** Option members such as `playerNames: ["Ada"]`. Undefined if a parameter cannot be written this way. */
function membersOf({ on, parameters }: Query): string[] | undefined {
  if (!PRINTED[on]) return undefined;
  const members = new Map<string, string>();
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    const { kind, endpoints } = findParameter(name) ?? {};
    if (!kind || !endpoints?.includes(TARGETS[on].endpoint)) return undefined;
    const key = kind === "fields" ? fieldsType(name) : optionOf(name, on);
    const written = writers[kind]?.(value);
    const into = kind === "fields" ? fields : members;
    // Other keys would need quotes.
    const isPlain = /^[A-Za-z]\w*$/.test(key);
    if (!isPlain || written === undefined || into.has(key)) return undefined;
    into.set(key, `${key}: ${written}`);
  }
  if (fields.size > 0) members.set("fields", `fields: { ${[...fields.values()].join(", ")} }`);
  return [...members.values()];
}

/** `filter[createdAt-start]` is `createdAtStart`; players are found by `names` and `ids`. */
function optionOf(parameter: string, on: Target): string {
  const name = parameter
    .replace(/^\w+\[(.+)\]$/, "$1")
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return on === "players"
    ? name.replace(/^player(\w+)$/, (_, rest: string) => rest.toLowerCase())
    : name;
}

/** Writes a value in TypeScript, by the kind of its parameter. */
const writers: Readonly<Record<string, (value: string) => string | undefined>> = {
  limit: (value) => number(value),
  offset: (value) => number(value),
  cursor: (value) => given(value),
  sort: (value) => (/^-?createdAt$/.test(value) ? text(value) : undefined),
  timestamp: (value) => given(value),
  list: (value) => list(value),
  modes: (value) => (value.split(",").every(isMode) ? list(value) : undefined),
  include: (value) => (value === "" ? "[]" : list(value)),
  fields: (value) => (value === "" ? "[]" : list(value)),
};

const text = (value: string): string => JSON.stringify(value);

const given = (value: string): string | undefined => (value === "" ? undefined : text(value));

const number = (value: string): string | undefined =>
  /^(0|[1-9]\d{0,8})$/.test(value) ? value : undefined;

function list(value: string): string | undefined {
  const items = splitList(value);
  return typeof items === "string" ? undefined : `[${items.map(text).join(", ")}]`;
}

const isMode = (mode: string): boolean => GAME_MODES.some((known) => known === mode);
