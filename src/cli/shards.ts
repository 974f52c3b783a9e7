/** In charge of `matchbook shards`: the group of verbs about where shards live. */

import { addDigest } from "./shards/digest.ts";
import { addList } from "./shards/list.ts";
import { addMove } from "./shards/move.ts";
import { type Verb, withExamples, withSettings } from "./verb.ts";

/** In the order of the help. */
const VERBS = [addList, addDigest, addMove];

export const shards: Verb = (program) => {
  const group = program
    .command("shards")
    .description("see where shards live, compare what they serve, and move them elsewhere");
  withSettings(group);
  withExamples(group, [
    ["matchbook shards list", "see where each shard lives"],
    ["matchbook shards digest na", "get a checksum of everything that na serves"],
    [
      "matchbook shards move na --to 'postgres://matchbook@db.example.com/matchbook?schema=na'",
      "copy na into PostgreSQL",
    ],
  ]);
  for (const add of VERBS) add(group);
};
