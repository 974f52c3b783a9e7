/** The cost of pages in PostgreSQL: the rows read are bounded by the page, not by the shard. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NameSearch } from "../../src/features/name-search/similar-names.ts";
import { lookupsIn, type NameLookups } from "../../src/features/name-search/stored.ts";
import { playersWithNames } from "../../src/store/postgres/namesakes.ts";
import { findPage } from "../../src/store/postgres/pages.ts";
import { PostgresReader } from "../../src/store/postgres/reader.ts";
import { type Connection, Session, sessionForReading } from "../../src/store/postgres/session.ts";
import { PostgresWriter } from "../../src/store/postgres/writer.ts";
import { aPlayer } from "../conformance/entries.ts";
import {
  COMBINATIONS,
  fillLargely,
  LIMIT,
  MATCHES,
  PAGE_STARTS,
  rowsOf,
  SINGLE_FILTERS,
  TYPED_NAMES,
  WINDOW,
} from "../support/large.ts";
import { aPostgres } from "../support/postgres.ts";

let stop = () => {};
let session: Session;

beforeAll(async () => {
  const cluster = await aPostgres();
  const schema = `explain_${process.pid}`;
  const target = { url: cluster.url, shown: "the test's", schema, prepares: true, pool: 1 };
  const writer = new PostgresWriter(new Session(target), "na");
  await writer.ready();
  await fillLargely(writer);
  await writer.write(async (transaction) => transaction.putPlayers(NAMESAKES));
  await writer.close();
  session = sessionForReading(target);
  await session.run("ANALYZE");
  stop = () => {
    session
      .run(`DROP SCHEMA "${schema}" CASCADE`)
      .then(() => session.close())
      .finally(cluster.stop);
  };
});
afterAll(() => stop());

const COMMON_NAME = "a common name";
const NAMESAKES = Array.from({ length: 500 }, (_, at) =>
  aPlayer(`namesake${at}`, { name: COMMON_NAME }),
);

const costsOf = (selection: Parameters<typeof findPage>[1]) =>
  costsOfAsking((connection) => findPage(connection, selection));

/** The statements of a read, as they are run. */
async function costsOfAsking(ask: (connection: Session) => Promise<unknown>) {
  const { connection, noted } = noting(session);
  await ask(connection);
  const plans: Awaited<ReturnType<typeof plansOf>>[] = [];
  for (const statement of noted) plans.push(await plansOf(session, statement));
  return (["first", "later", "generic"] as const).map((when) => ({
    when,
    rows: plans.reduce((sum, plan) => sum + plan[when].rows, 0),
    scans: plans.flatMap((plan) => plan[when].scans),
  }));
}

describe("a page by one filter", () => {
  for (const [name, filter, values] of SINGLE_FILTERS) {
    test(`${name}: reads no more rows than it has, plus one`, async () => {
      // Per match: its key and its encoded form; for each value one more, and one behind; the
      // state.
      const most = values * (LIMIT + 2) + LIMIT + 2 * values + 1;
      for (const pageStart of PAGE_STARTS) {
        for (const sort of ["createdAt", "-createdAt"] as const) {
          for (const { when, rows, scans } of await costsOf({
            ...filter,
            ...WINDOW,
            sort,
            pageStart,
            limit: LIMIT,
          })) {
            const says = `${when}, ${pageStart.from}, ${sort}: ${rows} rows, at most ${most}\n${scans.join("\n")}`;
            expect(rows <= most || says).toBe(true);
          }
        }
      }
    });
  }
});

describe("a page by several filters", () => {
  for (const [name, filter] of COMBINATIONS) {
    test(`${name}: reads no more rows than the most selective has in the window`, async () => {
      const roads = rowsOf(filter);
      const shortest = Math.min(...roads);
      // Scans one, looks up the others, after comparing them.
      const most = roads.length * (shortest + 8 * Math.max(shortest, 32)) + 2 * LIMIT + 20;
      expect(most).toBeLessThan(MATCHES);
      for (const pageStart of PAGE_STARTS) {
        for (const { when, rows, scans } of await costsOf({
          ...filter,
          ...WINDOW,
          sort: "createdAt",
          pageStart,
          limit: LIMIT,
        })) {
          const says = `${when}, ${pageStart.from}: ${rows} rows, at most ${most}\n${scans.join("\n")}`;
          expect(rows <= most || says).toBe(true);
        }
      }
    });
  }
});

test("players by name: reads no more rows per name than the limit", async () => {
  const names = ["name of p1", COMMON_NAME, "name of p2"];
  const limit = 6;
  const asking = (connection: Session) =>
    new PostgresReader(connection, 0).playersNamed(names, limit);
  for (const { rows } of await costsOfAsking(asking)) {
    expect(rows).toBeWithin(1, names.length * limit + 1);
  }
});

test("ids by name: reads the players with a name, and the state", async () => {
  const names = ["name of p1", "name of p2"];
  const asking = (connection: Session) => new PostgresReader(connection, 0).playerIdsNamed(names);
  for (const { rows, scans } of await costsOfAsking(asking)) {
    expect([rows, scans.length > 0]).toEqual([names.length + 1, true]);
  }
});

describe("the search for a name", () => {
  for (const typed of TYPED_NAMES) {
    const search = new NameSearch(typed);
    const keys = [search.beginning, search.laterWord, search.reversed];
    const reads: [what: string, read: (lookups: NameLookups) => unknown, rows: number][] = [
      ["around keys", (lookups) => lookups.around(keys, 20, 20), 40 * keys.length],
      ["that begin with keys", (lookups) => lookups.beginning(keys, 20), 20 * keys.length],
      ["after which characters follow", (lookups) => lookups.charactersAfter(keys, 50), 60],
    ];
    test.each(reads)(
      `${typed}: for names %s, no more rows are read than needed`,
      async (_, read, most) => {
        for (const { when, rows, scans } of await costsOfAsking(async (one) =>
          read(lookupsIn(new PostgresReader(one, 0))),
        )) {
          const says = `${when}: ${rows} rows, at most ${most}\n${scans.join("\n")}`;
          expect(rows <= most || says).toBe(true);
        }
      },
    );
  }

  test("players with a name are looked up by index", async () => {
    const names = ["name of p1", "name of p2"];
    const asking = (connection: Connection) => playersWithNames(connection, names, 3);
    for (const { rows, scans } of await costsOfAsking(asking)) {
      expect([rows, scans.length > 0]).toEqual([names.length, true]);
    }
  });
});

interface Statement {
  text: string;
  values: readonly unknown[];
}

/** Records and runs statements. */
function noting<C extends Connection>(connection: C): { connection: C; noted: Statement[] } {
  const noted: Statement[] = [];
  const watched = new Proxy(connection, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== "rows") return member.bind(target);
      return (text: string, values: readonly unknown[] = []) => {
        noted.push({ text, values });
        return target.rows(text, values);
      };
    },
  });
  return { connection: watched, noted };
}

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Node[];
}

/** A plan with row counts. */
interface Counted {
  /** Rows read from tables and indexes. */
  rows: number;
  /** How each table is read, for messages. */
  scans: string[];
}

/** After five custom plans, PostgreSQL decides whether to use a generic one. */
const USES = 7;

/**
 * The prepared statement: planned for its values at first, later perhaps generically. All runs must
 * use the same connection.
 */
async function plansOf(
  connection: Connection,
  statement: Statement,
): Promise<{
  first: Counted;
  later: Counted;
  generic: Counted;
}> {
  const given = statement.values.map(literal).join(", ");
  const execute = given === "" ? "EXECUTE asked" : `EXECUTE asked (${given})`;
  const explain = async () => {
    const [row] = await connection.rows<{ "QUERY PLAN": [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${execute}`,
    );
    const plan = row!["QUERY PLAN"];
    return counted((typeof plan === "string" ? JSON.parse(plan) : plan)[0].Plan);
  };
  await connection.run(`PREPARE asked AS ${statement.text}`);
  try {
    const first = await explain();
    for (let use = 0; use < USES; use++) await connection.run(execute);
    const later = await explain();
    await connection.run("SET plan_cache_mode = force_generic_plan");
    const generic = await explain();
    return { first, later, generic };
  } finally {
    await connection.run("RESET plan_cache_mode");
    await connection.run("DEALLOCATE asked");
  }
}

function counted(node: Node): Counted {
  const below = (node.Plans ?? []).map(counted);
  const name = node["Relation Name"];
  const isScan = name !== undefined && node["Actual Loops"] > 0;
  const looked =
    node["Actual Rows"] +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0);
  const rows = isScan ? looked * node["Actual Loops"] : 0;
  return {
    rows: rows + below.reduce((sum, one) => sum + one.rows, 0),
    scans: [
      ...(isScan ? [`${node["Node Type"]} on ${name}: ${rows}`] : []),
      ...below.flatMap(({ scans }) => scans),
    ],
  };
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(", ")}]`;
  return typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}
