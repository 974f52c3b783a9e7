// @ts-check
/** The four endpoints: each parses its query, reads the database and sends a document. */

import { sendDocument } from "./document.js";
import { Fault } from "./faults.js";
import { pageLinks, selfLink } from "./links.js";
import { findPage } from "./pages.js";
import {
  MATCHES,
  PLAYERS,
  readFields,
  readMatchesQuery,
  readPlayersQuery,
  SINGLE,
} from "./parameters.js";
import { findPlayer, findPlayers } from "./players.js";
import { loadMatches } from "./relations.js";
import { matchSerializer, playerSerializer } from "./serializers.js";

/**
 * @typedef {{ Params: { shard: string, id: string }, Querystring: Record<string, any> }} Call
 */

/**
 * @param {import("fastify").FastifyInstance} app
 * @param {import("./database.js").Db} db
 */
export function addRoutes(app, db) {
  app.get(
    "/shards/:shard/matches",
    { schema: { querystring: MATCHES } },
    /** @type {import("fastify").RouteHandlerMethod<any, any, any, Call>} */
    async (request, reply) => {
      const query = readMatchesQuery(request.query);
      const page = await findPage(db, request.params.shard, query);
      const matches = await loadMatches(
        db,
        page.found.map(({ key }) => key),
      );
      const document = await matchSerializer.serialize(matches);
      const { start, end } = query.window;
      return sendDocument(reply, document, readFields(request.query), {
        links: pageLinks(request, query, page),
        meta: {
          window: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
        },
      });
    },
  );

  app.get(
    "/shards/:shard/matches/:id",
    { schema: { querystring: SINGLE } },
    /** @type {import("fastify").RouteHandlerMethod<any, any, any, Call>} */
    async (request, reply) => {
      const { shard, id } = request.params;
      const row = await db
        .selectFrom("matches")
        .select("key")
        .where("shard", "=", shard)
        .where("id", "=", id)
        .executeTakeFirst();
      if (!row) throw new Fault(404, "Unknown match id.");
      const [match] = await loadMatches(db, [row.key]);
      const document = await matchSerializer.serialize(match);
      const links = selfLink(request);
      return sendDocument(reply, document, readFields(request.query), { links });
    },
  );

  app.get(
    "/shards/:shard/players",
    { schema: { querystring: PLAYERS } },
    /** @type {import("fastify").RouteHandlerMethod<any, any, any, Call>} */
    async (request, reply) => {
      const query = readPlayersQuery(request.query);
      const players = await findPlayers(db, request.params.shard, query);
      const document = await playerSerializer.serialize(players);
      const links = selfLink(request);
      return sendDocument(reply, document, readFields(request.query), { links });
    },
  );

  app.get(
    "/shards/:shard/players/:id",
    { schema: { querystring: SINGLE } },
    /** @type {import("fastify").RouteHandlerMethod<any, any, any, Call>} */
    async (request, reply) => {
      const player = await findPlayer(db, request.params.shard, request.params.id);
      if (!player) throw new Fault(404, "Unknown player id.");
      const document = await playerSerializer.serialize(player);
      const links = selfLink(request);
      return sendDocument(reply, document, readFields(request.query), { links });
    },
  );
}
