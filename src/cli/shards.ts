/** `matchbook shards`: prints checksums of what shards serve, and moves them. */

import { digestOf } from "../export/digest.ts";
import { defineCommand, defineGroup } from "./command.ts";
import { withProgress } from "./progress.ts";
import { move } from "./shard-move.ts";
import { SHARD, withShard } from "./shard-store.ts";
import { table } from "./table.ts";

const digest = defineCommand({
  name: "digest",
  description:
    "print a SHA-256 digest of all matches, players and teams that a shard serves, with counts.\n" +
    "Equal records give the same digest on every engine. Reads and ingest continue meanwhile.\n" +
    "It reads and verifies every record, also withheld ones, which are not part of the digest.\n" +
    "It does not check the indexes by which filters and names are found.\n" +
    "Exit code 1: a record is damaged; it is named, and no digest is printed.",
  arguments: SHARD,
  json: "print one JSON object",
  examples: {
    "matchbook shards digest na": "compare two stores",
    "matchbook shards digest na --json | jq -r .digest": "print only the digest",
  },
  run: ({ settings }, shard: string) =>
    withShard(settings, shard, async (writer) => {
      const { served, players, teams } = await writer.counts();
      const found = await withProgress("digest", served + players + teams, "resources", (update) =>
        writer.survey((holdings) =>
          digestOf(holdings, (counted) =>
            update(counted.matches + counted.players + counted.teams),
          ),
        ),
      );
      const rows = Object.entries(found).map(([name, value]) => [name, String(value)]);
      return { json: { shard, ...found }, text: table(rows) };
    }),
});

export const shards = defineGroup(
  {
    name: "shards",
    description: "compare what shards serve, and move them",
    examples: {
      "matchbook shards digest na": "print a checksum of the records that na serves",
      "matchbook shards move na --to 'postgres://matchbook@db.example.com/matchbook?schema=na'":
        "copy na into PostgreSQL",
    },
  },
  [digest, move],
);
