/** In charge of the endpoint that helps with names: who is called almost as somebody typed it. */

import { nameListContent } from "../document/stitch.ts";
import { closestNames, keysToRead } from "../domain/name-index.ts";
import { MAX_NAMES } from "../query/parameters.ts";
import { parseNamesQuery } from "../query/parse.ts";
import type { NameBearer, Reader } from "../store/store.ts";
import { type Answer, linkedToItself, NO_SHEETS, read, type ShardCall } from "./endpoints.ts";

/** Those who share a name leave room for other names. */
const BEARERS_OF_A_NAME = 3;

export async function getPlayerNames(call: ShardCall): Promise<Answer> {
  const { now, maxOffset } = call;
  const context = { now, maxOffset, includePaths: NOTHING, types: NOTHING };
  const query = read(parseNamesQuery, call, "names", context);
  const bearers = await findNear(query.near, call.reader);
  call.watch.lap("store");
  const content = nameListContent(bearers, call.shard);
  const document = linkedToItself(call, query, content);
  return { document, records: bearers.length, sheets: NO_SHEETS, tag: "weak" };
}

const NOTHING: ReadonlySet<string> = new Set();

async function findNear(near: string, reader: Reader): Promise<NameBearer[]> {
  const { keys, before, after } = keysToRead(near);
  const around = await reader.namesAround(keys, before, after);
  // The very name may stand behind many that are written almost alike. If nobody has it, it drops out.
  const names = closestNames(near, new Set([near, ...around]), MAX_NAMES + 1);
  const bearers = await reader.bearersOf(names, BEARERS_OF_A_NAME);
  return bearers.slice(0, MAX_NAMES);
}
