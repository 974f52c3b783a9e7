/** Keeps the name index up to date. */

import { indexKeys } from "../../domain/similar-names.ts";
import { put, query, remove, type Steps } from "../steps.ts";
import { NAME_INDEX } from "../tables.ts";

/** `changed` are the names that players gained or lost in a transaction. */
export function* updateNameIndex(changed: ReadonlySet<string>): Steps<void> {
  if (changed.size === 0) return;
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
