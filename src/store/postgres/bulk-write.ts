/**
 * Writes many rows in one statement. Values are passed as one array per column. The byte strings of
 * a column are concatenated, and the server splits them.
 */

import type { Connection } from "./session.ts";

interface Column<Type extends string, Value> {
  name: string;
  type: Type;
  values: readonly Value[];
}

export type GivenColumn =
  | Column<"text", string | null>
  | Column<"integer" | "smallint" | "bigint", number | null>
  | Column<"boolean", boolean>
  | Column<"bytea", Uint8Array | null | undefined>;

/** The source rows of a statement. */
interface Given {
  /** A FROM item with the alias `given`. */
  source: string;
  /** The value of each column. */
  expressions: string[];
  values: unknown[];
}

export function given(columns: readonly GivenColumn[]): Given {
  const names: string[] = [];
  const arrays: string[] = [];
  const values: unknown[] = [];
  const add = (name: string, type: string, list: readonly unknown[]) => {
    values.push(list);
    names.push(name);
    arrays.push(`$${values.length}::${type}[]`);
    return `given.${name}`;
  };
  const expressions = columns.map((column) => {
    const { name, type } = column;
    if (type === "bytea") {
      const { bytes, starts, lengths } = laidOut(column.values);
      values.push(bytes);
      const whole = `$${values.length}::bytea`;
      const start = add(`${name}_start`, "integer", starts);
      const length = add(`${name}_length`, "integer", lengths);
      return `CASE WHEN ${length} >= 0 THEN substr(${whole}, ${start}, ${length}) END`;
    }
    if (type === "boolean") return `${add(name, "smallint", column.values.map(Number))} = 1`;
    return add(name, type, column.values);
  });
  return {
    source: `unnest(${arrays.join(", ")}) AS given (${names.join(", ")})`,
    expressions,
    values,
  };
}

export async function insertRows(
  connection: Connection,
  table: string,
  columns: readonly GivenColumn[],
  onConflict = "",
): Promise<void> {
  const { source, expressions, values } = given(columns);
  await connection.run(
    `INSERT INTO {${table}} (${columns.map(({ name }) => name).join(", ")})
     SELECT ${expressions.join(", ")} FROM ${source} ${onConflict}`,
    values,
  );
}

/** The start of each, counted from 1 as in SQL. A length of -1 means NULL. */
function laidOut(blobs: readonly (Uint8Array | null | undefined)[]) {
  const starts: number[] = [];
  let end = 1;
  for (const blob of blobs) {
    starts.push(end);
    end += blob?.length ?? 0;
  }
  return {
    bytes: Buffer.concat(blobs.filter((blob) => blob != null)),
    starts,
    lengths: blobs.map((blob) => blob?.length ?? -1),
  };
}
