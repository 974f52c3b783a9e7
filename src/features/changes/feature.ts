/** The change feed: which matches were added, replaced and removed. */

import type { Feature } from "../feature.ts";
import { getChanges, streamChanges } from "./endpoint.ts";
import { EVENTS } from "./events.ts";
import examples from "./example.json";
import { CHANGES } from "./parameters.ts";
import { NAME, startFeed } from "./running.ts";
import { SCHEMAS } from "./schemas.ts";

export const changes: Feature = {
  name: NAME,
  routes: [
    {
      path: "/shards/:shard/changes",
      summary: "Follow the changes of matches",
      description:
        "Matches that were added, replaced or removed, in the order of the changes, without their content. Follow `links.next`, which is always there. With `Accept: text/event-stream`, the same as Server-Sent Events. Changes are kept for 7 days.",
      access: "key",
      takes: CHANGES,
      response: "ChangeList",
      codes: ["cursor-expired", "too-many-streams"],
      endpoint: getChanges,
      stream: streamChanges,
    },
  ],
  schemas: SCHEMAS,
  examples,
  events: EVENTS,
  start: startFeed,
};
