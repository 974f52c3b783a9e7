// Reads a page, a match and a player with kitsu.
import Kitsu from "kitsu";
import { report } from "./report.mjs";

const { BASE, KEY, MATCH, PLAYER } = process.env;
const api = new Kitsu({
  baseURL: `${BASE}/shards/na`,
  headers: { Authorization: `Bearer ${KEY}` },
  pluralize: false,
});
const read = async (path, params) => plain((await api.get(path, { params })).data);

/** Kitsu keeps the `data` member of relationships. */
function plain(resource) {
  if (Array.isArray(resource)) return resource.map(plain);
  const entries = Object.entries(resource).map(([name, value]) =>
    value?.data && typeof value.data === "object" ? [name, plain(value.data)] : [name, value],
  );
  return Object.fromEntries(entries);
}

report({
  page: await read("matches", { page: { limit: 3 }, sort: "-createdAt" }),
  match: await read(`matches/${MATCH}`),
  players: await read("players", { filter: { playerIds: PLAYER } }),
  player: await read(`players/${PLAYER}`),
});
