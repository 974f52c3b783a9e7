// Reads pages, a match, players and the status with vainglory, which finds its server by two options.
const Vainglory = require("vainglory");

const { BASE, KEY, MATCH, PLAYER, NAME } = process.env;
const client = new Vainglory(KEY, { host: `${BASE}/shards/`, statusUrl: `${BASE}/status` });

/** What went wrong is returned, not thrown. */
async function read(request) {
  const model = await request;
  if (model.errors) throw new Error(JSON.stringify(model));
  return model;
}

const named = ({ id, name, createdAt }) => ({ id, name, createdAt });
const whole = ({ id, createdAt, rosters }) => ({
  id,
  createdAt,
  players: rosters
    .flatMap(({ participants }) => participants)
    .map(({ player }) => (player ? player.name : null)),
});

async function main() {
  // Its own defaults: a page of 50, and filters without values.
  const page = await read(client.matches.collection());
  const newest = await read(client.matches.collection({ sort: "-createdAt" }));
  const match = await read(client.matches.single(MATCH));
  const players = await read(client.players.getByName([NAME]));
  const player = await read(client.players.getById(PLAYER));
  console.log(
    JSON.stringify({
      page: page.match.map(whole),
      newest: newest.match.map(whole),
      match: whole(match),
      players: players.player.map(named),
      player: named(player),
      status: await client.status(),
    }),
  );
}

function fail(error) {
  console.error(error);
  process.exit(1);
}

main().catch(fail);
