/**
 * Declares a table once, for both engines: its columns, key, indexes, and whether rows have a checksum. Statements that create,
 * read and write rows, and what the checksum covers, follow from the declaration.
 */

import { checksum } from "./checksum.ts";

/** "integer" has 32 bits, "bigint" as many as a JavaScript number holds exactly. */
export type ColumnType = "text" | "integer" | "bigint" | "bytes";

export interface Column {
  type: ColumnType;
  isNullable: boolean;
}

export const text = { type: "text", isNullable: false } as const;
export const integer = { type: "integer", isNullable: false } as const;
export const bigint = { type: "bigint", isNullable: false } as const;
export const bytes = { type: "bytes", isNullable: false } as const;

export const nullable = <Type extends ColumnType>({ type }: { type: Type }) =>
  ({ type, isNullable: true }) as const;

interface Values {
  text: string;
  integer: number;
  bigint: number;
  bytes: Uint8Array;
}

export type Value = string | number | Uint8Array | null;

export type RowOf<Columns extends Record<string, Column>> = {
  [Name in keyof Columns]:
    | Values[Columns[Name]["type"]]
    | (Columns[Name]["isNullable"] extends true ? null : never);
};

export interface Index {
  name: string;
  /** SQL, e.g. "wins DESC, id". */
  on: string;
  /** SQL: which rows are in the index. */
  where?: string;
}

/** A table that is built from the served records alone. */
export interface Derivation {
  /** Another one than the stored table has: it is built again, while the shard is served and written. */
  version: number;
  /**
   * A column that is 1 in rows that cannot be built from the records, because they are about pruned ones: these stay. The
   * columns of such a table cannot change; any other is created again.
   */
  keeps?: string;
  /** What is wrong with such a row, when it comes from an export. Its columns have the right types. */
  problems?(row: Record<string, Value>): string[];
}

/** What statements are made of. */
export interface TableShape {
  name: string;
  columns: Readonly<Record<string, Column>>;
  /** Identifies a row. */
  key: readonly string[];
  /** The column by which rows are stored, if that is not the key. */
  number: string | undefined;
  /** SQLite: rows are stored by internal numbers, and the key is an index; better for long rows. */
  hasRowids: boolean;
  /** PostgreSQL: rows stay in one piece up to a page. */
  isInline: boolean;
  /** Whether there is also a column `checksum`. */
  isChecked: boolean;
  indexes: readonly Index[];
  derived: Derivation | undefined;
}

export type DerivedTable = TableShape & { derived: Derivation };

export interface Table<Row = object, Key extends keyof Row = keyof Row> extends TableShape {
  key: readonly (Key & string)[];
  /** Over all columns, in their order. */
  checksum(row: Row): number;
  /** Whether a row of a table without checksums is what it says, if it shows that itself. */
  checksItself(row: Row): boolean;
  /** How a row is called in messages. */
  label(row: Row): string;
}

/** The rows of a declared table. */
export type RowIn<Declared> = Declared extends { label(row: infer Row): string } ? Row : never;

interface Declaration<Columns extends Record<string, Column>, Key extends keyof Columns> {
  columns: Columns;
  key: readonly (Key & string)[];
  number?: keyof Columns & string;
  hasRowids?: boolean;
  isInline?: boolean;
  isChecked: boolean;
  checksItself?(row: RowOf<Columns>): boolean;
  indexes?: readonly Index[];
  label?(row: RowOf<Columns>): string;
}

export function declareTable<
  const Columns extends Record<string, Column>,
  const Key extends keyof Columns,
  Derived extends Derivation | undefined = undefined,
>(
  name: string,
  {
    columns,
    key,
    number,
    hasRowids = false,
    isInline = false,
    isChecked,
    checksItself = () => true,
    indexes = [],
    derived,
    label,
  }: Declaration<Columns, Key> & { derived?: Derived },
): Table<RowOf<Columns>, Key> & { derived: Derived } {
  const names = Object.keys(columns);
  const valuesOf = (row: RowOf<Columns>, of: readonly string[]) =>
    of.map((column) => (row as Record<string, Value>)[column]!);
  return {
    name,
    columns,
    key,
    number,
    hasRowids,
    isInline,
    isChecked,
    checksItself,
    checksum: (row) => checksum(valuesOf(row, names)),
    indexes,
    derived: derived as Derived,
    label: label ?? ((row) => valuesOf(row, key).join(" ")),
  };
}

/** Statements follow from declarations, and so are written once. */
export function oncePerTable<T>(make: (table: TableShape) => T): (table: TableShape) => T {
  const made = new WeakMap<TableShape, T>();
  return (table) => {
    const known = made.get(table);
    if (known !== undefined) return known;
    const value = make(table);
    made.set(table, value);
    return value;
  };
}

/** The names of all columns as they are stored. */
export const storedColumns = oncePerTable(({ columns, isChecked }): readonly string[] => [
  ...Object.keys(columns),
  ...(isChecked ? ["checksum"] : []),
]);

/** Also that of the checksum. */
export const columnIn = ({ columns }: TableShape, name: string): Column => columns[name] ?? bigint;

/** Columns of a table as a statement selects them. A cast, because PostgreSQL returns a bigint as text. */
export const selectList = (
  table: TableShape,
  alias: string,
  names: readonly string[] = storedColumns(table),
): string =>
  names
    .map((name) => {
      const cast = columnIn(table, name).type === "bigint" ? `::float8 AS ${name}` : "";
      return `${alias}.${name}${cast}`;
    })
    .join(", ");

/** SQL that makes an INSERT replace the row with the same key. */
export const onConflict = oncePerTable((table) => {
  const { key, number } = table;
  const others = storedColumns(table).filter((name) => !key.includes(name) && name !== number);
  const set = others.map((name) => `${name} = excluded.${name}`).join(", ");
  return `ON CONFLICT (${key.join(", ")}) DO ${set === "" ? "NOTHING" : `UPDATE SET ${set}`}`;
});

/** The values of a row, in the order of `storedColumns`. */
export function storedValues<Row>(table: Table<Row>, row: Row): Value[] {
  const values = Object.keys(table.columns).map(
    (name) => (row as Record<string, Value>)[name] ?? null,
  );
  return table.isChecked ? [...values, table.checksum(row)] : values;
}

export const isWhole = <Row>(table: Table<Row>, row: Row): boolean =>
  table.isChecked
    ? (row as { checksum?: unknown }).checksum === table.checksum(row)
    : table.checksItself(row);
