/**
 * Removes players from a match record: their resources, what only they link to, every reference to them, and their names
 * in other texts of the record. Their participants stay, as those of anonymous players.
 */

import { isObject, type Json, keyOf, type Resource, references } from "./json.ts";
import { describeMatch, type MatchParts, type MatchRecord, type Named } from "./match.ts";

export function redact(record: MatchRecord, playerIds: ReadonlySet<string>): MatchRecord {
  const withoutName = nameRemover(record, playerIds);
  const withoutLinks = cleaner(playerIds);
  const clean = (resource: Resource) => withoutName(withoutLinks(resource));
  // Other players may have the same name.
  const cleanNamed = (named: Named) => redactLinks(named, playerIds);
  return describeMatch(
    withoutUnlinked({
      match: clean(record.match),
      own: record.own.map(clean),
      players: record.players.filter(({ id }) => !playerIds.has(id)).map(cleanNamed),
      teams: record.teams.map(cleanNamed),
    }),
  );
}

/** A player or team without references to these players. */
export function redactLinks(
  { id, carried, companions }: Named,
  playerIds: ReadonlySet<string>,
): Named {
  const clean = cleaner(playerIds);
  return { id, carried: clean(carried), companions: companions.map(clean) };
}

/** Whether a player or team has a reference to one of these players. */
export const linksToAny = ({ carried, companions }: Named, ids: ReadonlySet<string>): boolean =>
  [carried, ...companions]
    .flatMap(({ relationships = {} }) => Object.values(relationships).flatMap(references))
    .some(({ type, id }) => type === "player" && ids.has(id));

function cleaner(playerIds: ReadonlySet<string>): (resource: Resource) => Resource {
  const redacted = new Set([...playerIds].map((id) => keyOf({ type: "player", id })));
  return (resource) => {
    const cleaned = withoutReferences(resource, redacted);
    return isParticipantOf(resource, redacted) ? anonymous(cleaned) : cleaned;
  };
}

const isParticipantOf = ({ type, relationships }: Resource, redacted: ReadonlySet<string>) =>
  type === "participant" &&
  references(relationships?.player).some((reference) => redacted.has(keyOf(reference)));

/** Keeps what happened in the match; a text that the API does not name could be about the player. */
function anonymous({ type, id, attributes, relationships }: Resource): Resource {
  const kept = Object.entries(attributes ?? {}).filter(
    ([name, value]) => IMPERSONAL.has(name) || !hasText(value),
  );
  return {
    type,
    id,
    attributes: Object.fromEntries(kept),
    ...(relationships && { relationships }),
  };
}

const IMPERSONAL: ReadonlySet<string> = new Set(["actor", "shardId", "stats"]);

function hasText(value: Json): boolean {
  if (typeof value === "string") return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasText);
}

/** What the API defines is not about a player, whatever the player's name. */
const DEFINED: ReadonlySet<string> = new Set([
  ...["type", "id", "relationships", "createdAt", "gameMode", "patchVersion", "shardId", "titleID"],
  ...["titleId", "endGameReason", "won", "actor"],
]);

/** Their members are named by the game, not after players. */
const MADE_OF_FIELDS: ReadonlySet<string> = new Set(["attributes", "stats"]);

/** Removes the names that these players have in this record: whole words of texts, and members of custom objects. */
function nameRemover({ players }: MatchRecord, playerIds: ReadonlySet<string>) {
  const names = new Set(
    players
      .filter(({ id }) => playerIds.has(id))
      .map(({ carried }) => carried.attributes?.name)
      .filter((name) => typeof name === "string" && name !== ""),
  ) as ReadonlySet<string>;
  if (names.size === 0) return (resource: Resource) => resource;
  const pattern = new RegExp([...names].map(wholeWord).join("|"), "gu");
  const remove = (value: Json, isCustom: boolean): Json => {
    if (typeof value === "string") return value.replace(pattern, "");
    if (Array.isArray(value)) return value.map((one) => remove(one, isCustom));
    if (!isObject(value)) return value;
    const members = Object.entries(value).filter(([name]) => !isCustom || !names.has(name));
    return Object.fromEntries(
      members.map(([name, one]) => [
        name,
        DEFINED.has(name) ? one : remove(one, !MADE_OF_FIELDS.has(name)),
      ]),
    );
  };
  return (resource: Resource) => remove(resource as unknown as Json, false) as unknown as Resource;
}

const wholeWord = (text: string): string =>
  `(?<![\\p{L}\\p{N}_])${text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}(?![\\p{L}\\p{N}_])`;

function withoutReferences(resource: Resource, redacted: ReadonlySet<string>): Resource {
  const { relationships } = resource;
  if (relationships === undefined) return resource;
  const kept: typeof relationships = {};
  let isChanged = false;
  for (const [name, relationship] of Object.entries(relationships)) {
    const isNamed = references(relationship).some((one) => redacted.has(keyOf(one)));
    isChanged ||= isNamed;
    if (!isNamed) kept[name] = relationship;
    else if (Array.isArray(relationship.data)) {
      const data = relationship.data.filter(
        (one) => !references({ data: one }).some((reference) => redacted.has(keyOf(reference))),
      );
      kept[name] = { ...relationship, data };
    }
  }
  if (!isChanged) return resource;
  const { relationships: _, ...rest } = resource;
  return Object.keys(kept).length === 0 ? (rest as Resource) : { ...resource, relationships: kept };
}

/** Without players and teams that only a removed player linked to. */
function withoutUnlinked({ match, own, players, teams }: MatchParts): MatchParts {
  const named = new Map([...players, ...teams].map((one) => [keyOf(one.carried), one]));
  const linked = new Set<Named>();
  const open: Resource[] = [match, ...own];
  for (let resource = open.pop(); resource; resource = open.pop()) {
    for (const reference of Object.values(resource.relationships ?? {}).flatMap(references)) {
      const found = named.get(keyOf(reference));
      if (!found || linked.has(found)) continue;
      linked.add(found);
      open.push(found.carried, ...found.companions);
    }
  }
  const isLinked = (one: Named) => linked.has(one);
  return { match, own, players: players.filter(isLinked), teams: teams.filter(isLinked) };
}
