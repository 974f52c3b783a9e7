/** Records as the model reads them: normalised, with the rules of single matches. Shares no code with the service. */

type Value = string | number | boolean | null | Value[] | Thing;
type Thing = { [member: string]: Value };

/** Anything with members. */
export type { Thing };

export const MODES = [
  "ranked",
  "casual",
  "private",
  "private_party_draft_match",
  "private_party_aral_match",
  "private_party_blitz_match",
  "casual_aral",
  "blitz_pvp_ranked",
];
const VOID = ["exitpractice", "notenoughplayers"];

export interface Filters {
  playerNames?: string[];
  playerIds?: string[];
  teamNames?: string[];
  gameModes?: string[];
  patchVersions?: string[];
}

export interface Answer {
  data: Thing[];
  included: Thing[];
}

export interface Entry {
  id: string;
  at: number;
  match: Thing;
  included: Map<string, Thing>;
}

export const key = (one: Thing) => `${one.type}/${one.id}`;
export const attributesOf = (one: Thing) => (one.attributes ?? {}) as Thing;
export const statsOf = (one: Thing) => (attributesOf(one).stats ?? {}) as Thing;
export const isPerson = (one: Thing) => one.type === "player" || one.type === "team";

/** The references under one relationship, or under all of them. */
export function linksOf(one: Thing, name?: string): Thing[] {
  const relationships = (one.relationships ?? {}) as { [name: string]: Thing };
  const chosen = name === undefined ? Object.values(relationships) : [relationships[name]];
  return chosen.flatMap((relationship) => {
    const data = relationship?.data ?? [];
    return (Array.isArray(data) ? data : [data]) as Thing[];
  });
}

/** `include` and `fields` applied to a whole document. */
export function projected(
  whole: Answer,
  include: readonly string[] | undefined,
  fields: Record<string, readonly string[]>,
): { data: Thing[]; included: Thing[] } {
  const everything = new Map([...whole.data, ...whole.included].map((one) => [key(one), one]));
  const wanted = new Set<string>();
  for (const path of include ?? []) {
    let level = whole.data;
    for (const name of path.split(".")) {
      const keys = level.flatMap((one) => linksOf(one, name)).map(key);
      level = keys.map((one) => everything.get(one)).filter((one) => one !== undefined);
      for (const one of level) wanted.add(key(one));
    }
  }
  const trimmed = (one: Thing): Thing => {
    const names = fields[one.type as string];
    if (!names) return one;
    const members = Object.entries(one).map(([member, value]): [string, Value] => {
      if (member !== "attributes" && member !== "relationships") return [member, value];
      const kept = Object.entries(value as Thing).filter(([name]) => names.includes(name));
      return [member, Object.fromEntries(kept)];
    });
    const isEmpty = (value: Value) => Object.keys(value as Thing).length === 0;
    return Object.fromEntries(
      members.filter(
        ([member, value]) => !/^(attributes|relationships)$/.test(member) || !isEmpty(value),
      ),
    );
  };
  const data = whole.data.map(trimmed);
  const chosen = whole.included.filter((one) => !include || wanted.has(key(one)));
  return { data, included: chosen.map(trimmed) };
}

/** Normalises a record. */
export function read({ data, included }: Thing, title: string): Entry {
  const match = data as Thing;
  const attributes = attributesOf(match);
  const at = Date.parse((attributes.createdAt as string).replace(/(\.\d{3})\d+/, "$1"));
  if (!/T[\d:]+(\.\d{1,3})?Z$/.test(attributes.createdAt as string)) {
    attributes.createdAt = new Date(at).toISOString().replace(".000Z", "Z");
  }
  if (typeof attributes.stats === "string") {
    const pairs = attributes.stats.split(", ").map((pair) => pair.split(": ") as [string, string]);
    attributes.stats = Object.fromEntries(
      pairs.map(([name, text]) => [name, /^[\d.]+$/.test(text) ? Number(text) : text]),
    );
  }
  for (const one of [match, ...(included as Thing[])]) {
    if (attributesOf(one).shardId === "") delete attributesOf(one).shardId;
  }
  const titles = [attributes.titleID, attributes.titleId].filter((one) => typeof one === "string");
  for (const one of included as Thing[]) tidy(one, attributes, titles[0] ?? title);
  const index = new Map((included as Thing[]).map((one) => [key(one), one]));
  return { id: match.id as string, at, match, included: index };
}

function tidy(one: Thing, around: Thing, title: string): void {
  const attributes = attributesOf(one);
  if (["roster", "player", "team"].includes(one.type as string)) {
    attributes.shardId ??= around.shardId!;
  }
  if (one.type === "roster") {
    attributes.won = String(attributes.won);
    dropEmpty(one, "team");
  }
  if (one.type === "participant") dropEmpty(one, "player");
  if (one.type === "player") {
    attributes.titleID ??= typeof attributes.titleId === "string" ? attributes.titleId : title;
    attributes.patchVersion ??= around.patchVersion!;
  }
}

/** A reference to nothing is no relationship. */
function dropEmpty(one: Thing, name: string): void {
  const relationships = (one.relationships ?? {}) as { [name: string]: Thing };
  if (relationships[name]?.data !== null) return;
  delete relationships[name];
  if (Object.keys(relationships).length === 0) delete one.relationships;
}

/** Never served, whatever its players. */
export function isOutright(match: Thing): boolean {
  return (
    !MODES.includes(attributesOf(match).gameMode as string) ||
    VOID.includes(statsOf(match).endGameReason as string)
  );
}

/** The registered players of the two rosters. */
export function playingIn({ match, included }: Pick<Entry, "match" | "included">) {
  return linksOf(match, "rosters").flatMap((reference) => {
    const roster = included.get(key(reference))!;
    return linksOf(roster, "participants").flatMap((seat) => {
      const participant = included.get(key(seat))!;
      return linksOf(participant, "player").map(({ id }) => ({
        id: id as string,
        won: attributesOf(roster).won === "true",
        gold: numberOr0(statsOf(participant).gold),
      }));
    });
  });
}

const numberOr0 = (value: unknown) => (typeof value === "number" ? value : 0);

/** What a match includes, apart from players, teams and their links. */
export function ownOf({ match, included }: Entry): Thing[] {
  return reach([match], included);
}

/** All resources reachable by references, except players, teams and beyond. */
export function reach(from: Thing[], index: Map<string, Thing>): Thing[] {
  const found = new Set<Thing>();
  const open = [...from];
  for (let one = open.shift(); one; one = open.shift()) {
    for (const reference of linksOf(one)) {
      const target = index.get(key(reference));
      if (!target || isPerson(target) || found.has(target)) continue;
      found.add(target);
      open.push(target);
    }
  }
  return [...found];
}

/** All linked resources; a compound document contains no others. */
export function linkedFrom(data: Thing[], index: ReadonlyMap<string, Thing>): Thing[] {
  const found = new Set(data);
  for (const one of found) {
    for (const reference of linksOf(one)) {
      const target = index.get(key(reference));
      if (target) found.add(target);
    }
  }
  return [...found];
}

/** An exact sum of decimal numbers, by their digits. */
export function sumOf(numbers: number[]): number {
  const millionths = numbers.map((number) => {
    const [whole, fraction = ""] = number.toFixed(6).split(".");
    return BigInt(`${whole}${fraction}`);
  });
  const sum = millionths
    .reduce((total, one) => total + one, 0n)
    .toString()
    .padStart(7, "0");
  return Number(`${sum.slice(0, -6)}.${sum.slice(-6)}`);
}

export function inOrder(a: Pick<Entry, "at" | "id">, b: Pick<Entry, "at" | "id">): number {
  return a.at - b.at || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}
