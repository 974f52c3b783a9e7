// Reads a page, a match and a player with openapi-fetch and the types that openapi-typescript made.
import createClient from "openapi-fetch";
import type { paths } from "./generated.js";

declare const process: { env: { BASE: string; KEY: string; MATCH: string; PLAYER: string } };
const { BASE, KEY, MATCH, PLAYER } = process.env;

const client = createClient<paths>({
  baseUrl: BASE,
  headers: { Authorization: `Bearer ${KEY}` },
});
const header = { Accept: "application/vnd.api+json" } as const;

const page = await client.GET("/shards/{shard}/matches", {
  params: {
    path: { shard: "na" },
    query: { "page[limit]": 2, sort: "-createdAt", "fields[match]": "createdAt", include: "" },
    header,
  },
});
const match = await client.GET("/shards/{shard}/matches/{id}", {
  params: { path: { shard: "na", id: MATCH }, header },
});
const player = await client.GET("/shards/{shard}/players/{id}", {
  params: { path: { shard: "na", id: PLAYER }, header },
});
const refused = await client.GET("/shards/{shard}/players/{id}", {
  // @ts-expect-error Without Accept it must not compile.
  params: { path: { shard: "na", id: PLAYER } },
});

console.log(
  JSON.stringify({
    page: page.data?.data,
    match: match.data?.data.id,
    player: player.data?.data.attributes?.name,
    refused: refused.error?.errors[0]?.code,
  }),
);
