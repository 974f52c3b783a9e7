// Reads a page, a match and a player with the client that @hey-api/openapi-ts made.
import { client } from "./generated/client.gen.js";
import { getMatchList, getSingleMatch, getSinglePlayer } from "./generated/index.js";

declare const process: { env: { BASE: string; KEY: string; MATCH: string; PLAYER: string } };
const { BASE, KEY, MATCH, PLAYER } = process.env;

client.setConfig({ baseUrl: BASE, auth: KEY });
const headers = { Accept: "application/vnd.api+json" } as const;

const page = await getMatchList({
  path: { shard: "na" },
  query: { "page[limit]": 2, sort: "-createdAt", "fields[match]": "createdAt", include: "" },
  headers,
});
const match = await getSingleMatch({ path: { shard: "na", id: MATCH }, headers });
const player = await getSinglePlayer({ path: { shard: "na", id: PLAYER }, headers });
// @ts-expect-error Without Accept it must not compile.
const refused = await getSinglePlayer({ path: { shard: "na", id: PLAYER } });

console.log(
  JSON.stringify({
    page: page.data?.data,
    match: match.data?.data.id,
    player: player.data?.data.attributes?.name,
    refused: refused.error?.errors[0]?.code,
  }),
);
