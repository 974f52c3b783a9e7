/** The commands of features. */

import { FEATURES } from "../features/list.ts";
import type { OpenServices } from "../features/operated.ts";
import { openAccess, ownServices } from "../open-access.ts";
import type { AddCommand } from "./command.ts";
import { withShards } from "./shard-store.ts";

export const featureCommands = (): Promise<AddCommand[]> =>
  Promise.all(FEATURES.flatMap(({ name, operated }) => operated?.command(opener(name)) ?? []));

const opener =
  (name: string): OpenServices =>
  (settings, work, isReadOnly) =>
    withShards(settings, async (shards) => {
      const access = openAccess(settings, isReadOnly);
      try {
        return await work(ownServices(settings, access, shards).get(name)!);
      } finally {
        await access.close();
      }
    });
