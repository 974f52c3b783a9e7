// @ts-check
/** Parses one line of the input: a match with its linked resources. */

/**
 * @typedef {{ type: string, id: string, attributes: Record<string, any>,
 *   relationships?: Record<string, { data?: any }> }} Resource
 * @typedef {{ resource: Resource, player: Resource | undefined }} Seat
 * @typedef {{ resource: Resource, won: boolean, team: Resource | undefined, seats: Seat[] }} Side
 * @typedef {object} MatchRecord
 * @property {Resource} match
 * @property {string} shard
 * @property {number} createdAt milliseconds since the epoch
 * @property {Side[]} sides
 * @property {Resource[]} assets
 * @property {Resource[]} players all who took part
 * @property {string[]} furtherRelationships names of relationships beside `rosters`, also empty ones
 */

const FURTHER_RELATIONSHIPS = ["assets", "rounds", "spectators"];

/**
 * @param {string} line
 * @returns {MatchRecord}
 */
export function readRecord(line) {
  const { data: match, included = [] } = JSON.parse(line);
  if (match?.type !== "match") throw new Error('its "data" must be a match');
  /** @type {Map<string, Resource>} */
  const index = new Map();
  for (const resource of included) index.set(`${resource.type}/${resource.id}`, resource);

  const sides = related(match, "rosters", index).map((roster) => ({
    resource: roster,
    won: roster.attributes.won === "true",
    team: related(roster, "team", index)[0],
    seats: related(roster, "participants", index).map((participant) => ({
      resource: participant,
      player: related(participant, "player", index)[0],
    })),
  }));
  return {
    match,
    shard: match.attributes.shardId,
    createdAt: Date.parse(match.attributes.createdAt),
    sides,
    assets: related(match, "assets", index),
    players: sides.flatMap(({ seats }) => seats.flatMap(({ player }) => player ?? [])),
    furtherRelationships: FURTHER_RELATIONSHIPS.filter((name) => match.relationships?.[name]),
  };
}

/**
 * @param {Resource} resource
 * @param {string} name
 * @param {Map<string, Resource>} index
 * @returns {Resource[]}
 */
function related(resource, name, index) {
  const data = resource.relationships?.[name]?.data ?? [];
  /** @type {{ type: string, id: string }[]} */
  const references = Array.isArray(data) ? data : [data];
  return references.map(({ type, id }) => {
    const found = index.get(`${type}/${id}`);
    if (!found) throw new Error(`${type} ${id} is referenced, but not in "included"`);
    return found;
  });
}
