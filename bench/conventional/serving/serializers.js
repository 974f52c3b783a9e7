// @ts-check
/** The JSON:API form of each type. */

import japi from "ts-japi";

/** @typedef {import("./relations.js").Entity} Entity */
/** @typedef {import("ts-japi").Serializer<Entity>} EntitySerializer */
/** @typedef {import("ts-japi").Relator<Entity>} EntityRelator */

const { Relator, Serializer } = japi;

/**
 * The relationship is omitted if the entity has no such member.
 *
 * @param {string} name
 * @param {EntitySerializer} serializer
 * @returns {[string, EntityRelator]}
 */
const relation = (name, serializer) => [
  name,
  // The library expects fetching functions; here everything is already loaded.
  new Relator(/** @type {any} */ ((/** @type {Entity} */ entity) => entity[name]), serializer, {
    relatedName: name,
  }),
];

/**
 * @param {[string, EntityRelator][]} relations
 * @returns {Record<string, EntityRelator>}
 */
const relators = (...relations) => Object.fromEntries(relations);

/** @type {EntitySerializer} */
export const playerSerializer = new Serializer("player");
/** @type {EntitySerializer} */
const teamSerializer = new Serializer("team");
/** @type {EntitySerializer} */
const assetSerializer = new Serializer("asset");

/** @type {EntitySerializer} */
const participantSerializer = new Serializer("participant", {
  relators: relators(relation("player", playerSerializer)),
});

/** @type {EntitySerializer} */
const rosterSerializer = new Serializer("roster", {
  relators: relators(
    relation("participants", participantSerializer),
    relation("team", teamSerializer),
  ),
});

/** @type {EntitySerializer} */
export const matchSerializer = new Serializer("match", {
  relators: relators(
    relation("rosters", rosterSerializer),
    relation("assets", assetSerializer),
    relation("rounds", new Serializer("round")),
    relation("spectators", new Serializer("player")),
  ),
  include: [
    "rosters",
    "rosters.participants",
    "rosters.participants.player",
    "rosters.team",
    "assets",
  ],
});
