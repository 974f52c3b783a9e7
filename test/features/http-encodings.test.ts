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
  ["gzip", "gzip", "gzip"],
  ["GZIP", "gzip", "gzip"],
  ["x-gzip", "gzip", "gzip"],
  ["br, gzip;q=0.8", "gzip", "gzip"],
  // Clients that accept anything do not always read zstd.
  ["*", "gzip", "gzip"],
  ["zstd", "zstd", null],
  ["gzip, deflate, br, zstd", "zstd", "gzip"],
  ["gzip, ZSTD;q=0.9", "gzip", "gzip"],
  ["gzip;q=0.8, zstd;q=0.9", "zstd", "gzip"],
  ["zstd;q=0, gzip", "gzip", "gzip"],
  ["zstd;q=0.4, gzip;q=0.6, identity;q=0.5", "gzip", "gzip"],
  ["zstd;q=0.6, gzip;q=0.4, identity;q=0.5", "zstd", null],
  ["gzip;q=0.5, identity;q=0.5", "gzip", "gzip"],
  ["", null, null],
  ["br", null, null],
  ["identity", null, null],
  ["gzip;q=0", null, null],
  ["gzip;q=0, *", null, null],
  ["*;q=0", null, null],
  ["identity, gzip;q=0.5, zstd;q=0.5", null, null],
])(
  "with Accept-Encoding: %p, compression = small gives %p, and fast %p",
  async (accepted, bySmall, byFast) => {
    expect((await sentBy(small, accepted)).encoding).toBe(bySmall);
    expect((await sentBy(fast, accepted)).encoding).toBe(byFast);
  },
);

test("compression = small gives smaller responses", async () => {
  const { bytes } = await sentBy(fast, "gzip");
  for (const encoding of ["gzip", "zstd"]) {
    expect((await sentBy(small, encoding)).bytes).toBeLessThan(bytes);
  }
});

test("a server that is not busy compresses as a whole by default", async () => {
  await using world = await startWorld(DOCUMENTS);
  expect(world.settings.compression).toBe("auto");
  // One request after another: two in one turn of its event loop would count as load.
  const sent = [];
  for (const encoding of ["gzip", "zstd"]) sent.push(await sentBy(world, encoding));
  expect(sent.map(({ encoding }) => encoding)).toEqual(["gzip", "zstd"]);
  expect(sent[0]!.bytes).toBeLessThan((await sentBy(fast, "gzip")).bytes);
});
