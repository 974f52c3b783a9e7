// Reads a page, a match and a player with coloquent, which sends page[offset] and page[limit] with every list.
import coloquent from "coloquent";
import { report } from "./report.mjs";

const { BASE, KEY, MATCH, PLAYER } = process.env;

class Record extends coloquent.Model {
  static pageSize = 3;
  static paginationStrategy = coloquent.PaginationStrategy.OffsetBased;
  getJsonApiBaseUrl() {
    return `${BASE}/shards/na`;
  }
}
class Player extends Record {
  jsonApiType = "players";
}
class Participant extends Record {
  jsonApiType = "participants";
  player() {
    return this.hasOne(Player);
  }
}
class Roster extends Record {
  jsonApiType = "rosters";
  participants() {
    return this.hasMany(Participant);
  }
}
class Match extends Record {
  jsonApiType = "matches";
  rosters() {
    return this.hasMany(Roster);
  }
}
// The first model makes the HTTP client.
new Player();
coloquent.Model.getHttpClient().getImplementingClient().defaults.headers.Authorization = `Bearer ${KEY}`;

const plain = (model) => {
  const relations = Object.entries(model.getRelations()).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(plain) : value && plain(value),
  ]);
  return { id: model.getApiId(), ...model.getAttributes(), ...Object.fromEntries(relations) };
};

report({
  page: (await Match.orderBy("createdAt", "desc").get()).getData().map(plain),
  match: plain((await Match.find(MATCH)).getData()),
  players: (await Player.where("playerIds", PLAYER).get()).getData().map(plain),
  player: plain((await Player.find(PLAYER)).getData()),
});
