/** In charge of the endpoint that helps with names: who is called almost as somebody typed it. */

import { nameListContent } from "../document/names.ts";
import { type Awaitable, after } from "../domain/awaitable.ts";
import { surroundingsOf } from "../domain/name-spots.ts";
import { closest } from "../domain/nearness.ts";
import { MAX_NAMES } from "../query/limits.ts";
import { parseNamesQuery } from "../query/parse.ts";
import type { NameBearer, Reader } from "../store/store.ts";
import { type Answer, linkedToItself, NO_SHEETS, read, type ShardCall } from "./endpoints.ts";

/** Those who share a name leave room for other names. */
const BEARERS_OF_A_NAME = 3;

export function getPlayerNames(call: ShardCall): Awaitable<Answer> {
  const { now, maxOffset } = call;
  const context = { now, maxOffset, includePaths: NOTHING, types: NOTHING };
  const query = read(parseNamesQuery, call, "names", context);
  return after(findNear(query.near, call.reader), (bearers) => {
    call.watch.lap("store");
    const content = nameListContent(bearers, call.shard);
    const document = linkedToItself(call, query, content);
    return { document, records: bearers.length, sheets: NO_SHEETS, tag: "weak" };
  });
}

const NOTHING: ReadonlySet<string> = new Set();

function findNear(near: string, reader: Reader): Awaitable<NameBearer[]> {
  const { spots, before, after: behind } = surroundingsOf(near);
  return after(reader.namesAround(spots, before, behind), (around) => {
    // The very name may stand behind many that are written almost alike. If nobody has it, it drops out.
    const names = closest(near, new Set([near, ...around]), MAX_NAMES + 1);
    return after(reader.bearersOf(names, BEARERS_OF_A_NAME), (bearers) =>
      bearers.slice(0, MAX_NAMES),
    );
  });
}
