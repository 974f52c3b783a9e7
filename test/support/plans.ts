/** In charge of what PostgreSQL does for a statement: its plan, and how many rows it looks at. */

import type { Connection } from "../../src/store/postgres/session.ts";

export interface Statement {
  text: string;
  values: readonly unknown[];
}

/** Notes what is asked, and asks it. */
export function noting<C extends Connection>(connection: C): { connection: C; noted: Statement[] } {
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

/** A plan in which rows of tables were counted. */
export interface Counted {
  /** Rows that were looked at, of tables and of their indexes. */
  rows: number;
  /** How each table is read, for messages. */
  scans: string[];
}

/** PostgreSQL makes up its mind after five plans for given values: whether to keep one for any values. */
const USES = 7;

/**
 * The statement as a driver runs it that prepares: planned for its values at first, later perhaps for
 * any. The connection must be one and the same throughout.
 */
export async function plansOf(
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
