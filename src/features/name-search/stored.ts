/** The name index. */

import { put, query, remove, type Steps } from "../../store/steps.ts";
import { declareTable, text } from "../../store/table.ts";
import { indexKeys } from "./similar-names.ts";

/** Every current player name under each of its keys. */
export const NAME_INDEX = declareTable("name_index", {
  columns: { key: text, name: text },
  key: ["key", "name"],
  isChecked: false,
});

/** Keeps the index up to date. */
export function* updateNameIndex(changed: ReadonlySet<string>): Steps<void> {
  const rows = yield* query<{ name: string }>(
    "SELECT DISTINCT name FROM {players} WHERE name = ANY($1::text[])",
    [[...changed]],
  );
  const used = new Set(rows.map(({ name }) => name));
  yield* put(NAME_INDEX, entriesOf([...used]));
  yield* remove(NAME_INDEX, entriesOf([...changed].filter((name) => !used.has(name))));
}

const entriesOf = (names: readonly string[]) =>
  names.flatMap((name) => indexKeys(name).map((key) => ({ key, name })));
