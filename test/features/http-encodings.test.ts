/** Tests which encoding a client gets, by its Accept-Encoding header and the setting `compression`. */

import { afterAll, expect, test } from "bun:test";
import { aMatch, minutesAgo } from "../support/records.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const DOCUMENTS = Array.from({ length: 5 }, (_, index) =>
  aMatch({ createdAt: minutesAgo(index + 1) }),
);
const [small, fast] = await Promise.all([
  startWorld(DOCUMENTS, { compression: "small" }),
  startWorld(DOCUMENTS, { compression: "fast" }),
]);
afterAll(() => Promise.all([small.stop(), fast.stop()]));

async function sentBy(world: typeof small, accepted: string) {
  const response = await fetch(`${world.url}/shards/na/matches`, {
    headers: {
      Authorization: `Bearer ${world.key}`,
      Accept: JSON_API,
      "Accept-Encoding": accepted,
    },
    decompress: false,
  });
  expect(response.status).toBe(200);
  return {
    encoding: response.headers.get("content-encoding"),
    bytes: (await response.arrayBuffer()).byteLength,
  };
}

test.each([
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["br, gzip;q=0.8", "gzip"],
  ["*", "gzip"],
  ["gzip, deflate, br, zstd", "gzip"],
  ["gzip;q=0.5, identity;q=0.5", "gzip"],
  ["", null],
  ["br", null],
  ["zstd", null],
  ["identity", null],
  ["gzip;q=0", null],
  ["gzip;q=0, *", null],
  ["*;q=0", null],
  ["identity, gzip;q=0.5", null],
])("with Accept-Encoding: %p, the response has %p", async (accepted, encoding) => {
  for (const world of [small, fast])
    expect((await sentBy(world, accepted)).encoding).toBe(encoding);
});

test("compression = small gives smaller responses", async () => {
  const { bytes } = await sentBy(fast, "gzip");
  expect((await sentBy(small, "gzip")).bytes).toBeLessThan(bytes);
});

test("a server that is not busy compresses as a whole by default", async () => {
  await using world = await startWorld(DOCUMENTS);
  expect(world.settings.compression).toBe("auto");
  const { bytes } = await sentBy(world, "gzip");
  expect(bytes).toBeLessThan((await sentBy(fast, "gzip")).bytes);
});
