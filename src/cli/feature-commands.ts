/** The commands of features. */

import type { OpenServices } from "../features/feature.ts";
import { FEATURES } from "../features/list.ts";
import { ownServices } from "../open-access.ts";
import type { AddCommand } from "./command.ts";
import { withAccess } from "./key-store.ts";
import { withShards } from "./shard-store.ts";

export const featureCommands = (): Promise<AddCommand[]> =>
  Promise.all(FEATURES.flatMap(({ name, operated }) => operated?.command(opener(name)) ?? []));

const opener =
  (name: string): OpenServices =>
  (settings, work, isReadOnly) =>
    withShards(settings, (shards) =>
      withAccess(settings, isReadOnly ? "read" : "write", (access) =>
        work(ownServices(settings, access, shards).get(name)!),
      ),
    );
