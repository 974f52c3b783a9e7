/** The change feed in the explorer of the portal. */

import { expect, test } from "bun:test";
import {
  parameterValue,
  type Query,
  withTarget,
  withValue,
} from "../../src/portal/views/explorer/query.ts";
import { requestPath } from "../../src/portal/views/explorer/request.ts";

test("a change to the change feed starts with the oldest change, also with other filters", () => {
  const query: Query = {
    ...{ shard: "na", on: "matches", id: "", as: "cards" },
    parameters: [["sort", "-createdAt"]],
  };
  const feed = withTarget(query, "changes");
  expect(feed.parameters).toEqual([["page[after]", "oldest"]]);
  const filtered = withValue(feed, "filter[gameMode]", "ranked");
  expect(parameterValue(filtered, "page[after]")).toBe("oldest");
  expect(requestPath({ ...filtered, position: ["after", "x"] })).toBe(
    "/shards/na/changes?filter[gameMode]=ranked&page[after]=x",
  );
});
