/** In charge of how the settings file says where a shard may be read beside its primary. */

import { expect, test } from "bun:test";
import { parseShardTable, showShards } from "../../src/settings/shards.ts";

const URL = "postgres://me:secret@db/matches?schema=na";

test("a shard may have replicas, of the same schema, with a bound on how far they are behind", () => {
  const parsed = parseShardTable({
    na: { url: URL, replicas: ["postgres://me@r1/matches", "postgres://me@r2/matches?pool=3"] },
    eu: { url: "sqlite:eu.db" },
    sea: { url: "postgres://db/sea", replicas: [] },
  });
  if ("error" in parsed) throw new Error(parsed.error);
  const [na, eu, sea] = parsed.value;
  expect(na!.replicas!.places.map(({ shown, pool }) => [shown, pool])).toEqual([
    ["postgres://r1/matches, schema na", 10],
    ["postgres://r2/matches, schema na", 3],
  ]);
  expect(na!.replicas!.maxLagSeconds).toBe(10);
  expect([eu!.replicas, sea!.replicas]).toEqual([undefined, undefined]);
  expect(showShards(parsed.value)).toBe(
    `na=${URL} (replicas: 2),eu=sqlite:eu.db,sea=postgres://db/sea`,
  );
});

test("an empty url is the data folder, as without a table", () => {
  const parsed = parseShardTable({ na: { url: "" }, eu: "", sea: {} });
  if ("error" in parsed) throw new Error(parsed.error);
  expect(showShards(parsed.value)).toBe("na,eu,sea");
});

test.each([
  [{ url: "sqlite:na.db", replicas: ["postgres://r1/matches"] }, "only a shard in PostgreSQL"],
  [{ url: URL, replicas: "postgres://r1/matches" }, "must be a list"],
  [{ url: URL, replicas: ["r1"] }, "of a replica, it must be postgres://"],
  [{ url: URL, replicas: ["postgres://r1/m?schema=other"] }, "the same schema, na"],
  [{ url: URL, replicas: ["postgres://r1/m"], "max-lag-seconds": -1 }, "its max-lag-seconds must"],
  [{ url: URL, lag: 3 }, '"lag" is unknown there; there are url, replicas, max-lag-seconds'],
  [{ replicas: ["postgres://r1/m"] }, "only a shard in PostgreSQL"],
  [{ url: 5 }, "the shard na wrongly: it must be sqlite:PATH"],
  [{ url: "db.example.com" }, "the shard na wrongly: it must be sqlite:PATH"],
])("%j is refused, with what is right and without secrets", (place, words) => {
  const parsed = parseShardTable({ na: place });
  expect("error" in parsed ? parsed.error : "").toContain(words);
  expect(JSON.stringify(parsed)).not.toContain("secret");
});
