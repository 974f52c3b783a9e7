// Reads a page, a match and a player with fetch and jsona.
import { Jsona } from "jsona";
import { report } from "./report.mjs";

const { BASE, KEY, MATCH, PLAYER } = process.env;
const headers = { Authorization: `Bearer ${KEY}`, Accept: "application/vnd.api+json" };
const read = async (path) => {
  const response = await fetch(`${BASE}/shards/na/${path}`, { headers });
  return new Jsona().deserialize(await response.json());
};

report({
  page: await read("matches?page[limit]=3&sort=-createdAt"),
  match: await read(`matches/${MATCH}`),
  players: await read(`players?filter[playerIds]=${PLAYER}`),
  player: await read(`players/${PLAYER}`),
});
