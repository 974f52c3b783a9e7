/** In charge of `matchbook keys`: the group of verbs about API keys. */

import { addChange } from "./keys/change.ts";
import { addCreate } from "./keys/create.ts";
import { addList } from "./keys/list.ts";
import { addRevoke } from "./keys/revoke.ts";
import { addRotate } from "./keys/rotate.ts";
import { addShow } from "./keys/show.ts";
import { addUsage } from "./keys/usage.ts";
import { type Verb, withExamples, withSettings } from "./verb.ts";

/** In the order of the help. */
const VERBS = [addCreate, addList, addShow, addChange, addRotate, addRevoke, addUsage];

export const keys: Verb = (program) => {
  const group = program
    .command("keys")
    .description("make, list, change, rotate and revoke API keys, and see how they are used");
  withSettings(group, ["keys-database"]);
  withExamples(group, [
    ["matchbook keys create --name stats-site", "make a key"],
    ["matchbook keys list", "see which keys there are"],
    ["matchbook keys usage", "see how much they are used"],
  ]);
  for (const add of VERBS) add(group);
};
