/**
 * The bare server: the fastest possible server on this runtime with PostgreSQL. It looks up one row
 * by the last path segment with a prepared statement, and sends its bytes.
 *
 *   bun bench/postgres-bare.ts URL
 */

import { SQL } from "bun";

/** The complete response for every match. */
export const BARE_TABLE = "bare.documents";

if (import.meta.main) {
  const url = process.argv[2];
  if (url === undefined) {
    process.stderr.write("usage: bun bench/postgres-bare.ts URL\n");
    process.exit(2);
  }
  const sql = new SQL(url);
  const headers = { "content-type": "application/vnd.api+json", "content-encoding": "gzip" };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const id = request.url.slice(request.url.lastIndexOf("/") + 1);
      const [row] = await sql.unsafe(`SELECT body FROM ${BARE_TABLE} WHERE id = $1`, [id]);
      return row ? new Response(row.body, { headers }) : new Response(null, { status: 404 });
    },
  });
  process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`);
}
