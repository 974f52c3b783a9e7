/** The cost of pages in PostgreSQL: the rows read are bounded by the page, not by the shard. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { findPage } from "../../src/store/postgres/pages.ts";
import { PostgresReader } from "../../src/store/postgres/reader.ts";
import { type Connection, Session, sessionForReading } from "../../src/store/postgres/session.ts";
import { PostgresWriter } from "../../src/store/postgres/writer.ts";
import { aPlayer } from "../conformance/entries.ts";
import { fillLargely, LIMIT } from "../support/large.ts";
import { aPostgres } from "../support/postgres.ts";
import { testCosts, watched } from "./read-costs.ts";

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
  // As where documents are longer than those of the test.
  await session.run("SET min_parallel_table_scan_size = 0");
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

/** The statements of a read, as they are run. */
async function costsOfAsking(ask: (connection: Session) => Promise<unknown>) {
  const noted: Statement[] = [];
  const noting = watched(session, (name, [text, values = []]) => {
    if (name === "rows") noted.push({ text: text as string, values: values as unknown[] });
  });
  await ask(noting);
  const plans: Awaited<ReturnType<typeof plansOf>>[] = [];
  for (const statement of noted) plans.push(await plansOf(session, statement));
  return (["first", "later", "generic"] as const).map((when) => {
    const scans = plans.flatMap((plan) => plan[when].scans);
    const cost = plans.reduce((sum, plan) => sum + plan[when].rows, 0);
    return { cost, scans, says: `${when}\n${scans.join("\n")}` };
  });
}

testCosts({
  page: (selection) => costsOfAsking((connection) => findPage(connection, selection)),
  lookups: ({ read }) =>
    costsOfAsking((connection) => new PostgresReader(connection, 0).read(read)),
  most: {
    // Per match: its key and its encoded form; for each value one more, and one behind; the state.
    byOne: (values) => values * (LIMIT + 2) + LIMIT + 2 * values + 1,
    // Scans one, looks up the others, after comparing them.
    bySeveral: (filters, shortest) =>
      filters * (shortest + 8 * Math.max(shortest, 32)) + 2 * LIMIT + 20,
    entries: (entries) => entries,
    row: 1,
  },
});

test("players by name: reads no more rows per name than the limit", async () => {
  const names = ["name of p1", COMMON_NAME, "name of p2"];
  const limit = 6;
  const asking = (connection: Session) =>
    new PostgresReader(connection, 0).playersNamed(names, limit);
  for (const { cost } of await costsOfAsking(asking)) {
    expect(cost).toBeWithin(1, names.length * limit + 1);
  }
});

test("ids by name: reads the players with a name, and the state", async () => {
  const names = ["name of p1", "name of p2"];
  const asking = (connection: Session) =>
    new PostgresReader(connection, 0).idsNamed("players", names);
  for (const { cost, scans } of await costsOfAsking(asking)) {
    expect([cost, scans.length > 0]).toEqual([names.length + 1, true]);
  }
});

test("matches by id that are looked up together: reads the row of each, and the state", async () => {
  const ids = ["m000001", "m000777", "m012345", "m029999"];
  const asking = (connection: Session) => {
    const reader = new PostgresReader(connection, 0);
    return Promise.all(ids.map((id) => reader.match(id)));
  };
  for (const { scans } of await costsOfAsking(asking)) {
    const documents = scans.filter((scan) => scan.includes("documents"));
    expect(documents).toEqual([`Index Scan on documents: ${ids.length}`]);
  }
});

interface Statement {
  text: string;
  values: readonly unknown[];
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
