// Reads a page, a match and a player with devour-client.
import Devour from "devour-client";
import { report } from "./report.mjs";

const { BASE, KEY, MATCH, PLAYER } = process.env;
const api = new Devour({ apiUrl: `${BASE}/shards/na`, bearer: KEY, logger: false });
const many = (type) => ({ jsonApi: "hasMany", type });
const one = (type) => ({ jsonApi: "hasOne", type });
api.define("match", { createdAt: "", rosters: many("rosters") });
api.define("roster", { won: "", participants: many("participants"), team: one("teams") });
api.define("participant", { actor: "", player: one("players") });
api.define("player", { name: "" });
for (const type of ["team", "asset", "round"]) api.define(type, {});

report({
  page: (await api.findAll("match", { page: { limit: 3 }, sort: "-createdAt" })).data,
  match: (await api.find("match", MATCH)).data,
  players: (await api.findAll("player", { filter: { playerIds: PLAYER } })).data,
  player: (await api.find("player", PLAYER)).data,
});
