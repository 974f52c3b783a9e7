/** The stream of the change feed in the frozen contract. */

import { StreamClient } from "../support/event-stream.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import type { FeatureResponses } from "./features.ts";
import { frozen } from "./frozen.ts";

/** The beginning of a stream, and its end. */
export const changes: FeatureResponses = async (world, _, now) => {
  const server = await serveWithKeys(world, [], {}, new TestClock(now));
  const headers = { Authorization: `Bearer ${world.key}` };
  const path = "/shards/na/changes?page[after]=oldest";
  const client = await StreamClient.open(server.url + path, headers);
  await client.changes(2);
  await server.stop();
  while (await client.more()) {}
  const events = client.events.map(({ event, lastId, data }) => ({
    event,
    lastId,
    data: JSON.parse(data),
  }));
  const { status, headers: sent } = client.response;
  const stream = frozen({ status, headers: sent, text: "", body: { events } });
  return { [`GET ${path} (Accept: text/event-stream)`]: stream };
};
