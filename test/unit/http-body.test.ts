/** Tests when a busy server joins stored pieces. The rest of compression is in test/features/http-encodings.test.ts. */

import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { contentOf, hotContent } from "../../src/document/content.ts";
import { pieceOf } from "../../src/document/fragment.ts";
import { ByteCache } from "../../src/endpoint/byte-cache.ts";
import { Bodies, type Body, bytesOf, type Compression } from "../../src/http/body.ts";
import { OverloadControl } from "../../src/http/overload.ts";
import { unobserved } from "../../src/observe/events.ts";

const MIB = 1 << 20;

let made = 0;

/** Pieces that are similar, so that they are smaller when compressed together. */
function aDocument() {
  made += 1;
  const words = Array.from({ length: 200 }, (_, index) =>
    Bun.hash(`${made} ${index}`).toString(36),
  );
  const pieces = [1, 2, 3].map(() => pieceOf(Buffer.from(words.join())));
  return { content: contentOf(pieces), rest: '],"links":{}}' };
}

type Document = ReturnType<typeof aDocument>;

function textOf(body: Body): string {
  const bytes = Buffer.from(bytesOf(body));
  return (body.encoding === "gzip" ? gunzipSync(bytes) : bytes).toString();
}

/** Whether a body contains the pieces as they are stored. */
const isJoined = (body: Body, { content }: Document): boolean => body.pieces === content.pieces;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Two turns without a request. */
const pause = async () => {
  await turn();
  await turn();
};

/** Bodies for requests that are counted, as in a server. */
function bodiesWith(compression: Compression, bytes = MIB): Pick<Bodies, "of"> {
  const overload = new OverloadControl({ maxDelayMs: 0, maxInFlight: 1 }, unobserved);
  const bodies = new Bodies(compression, bytes, overload);
  return {
    of(document, encoding) {
      expect(overload.enter("na", 0)).toBe(true);
      overload.leave("na");
      return bodies.of(document, encoding);
    },
  };
}

test("requests that are handled in one turn have waited, and get the stored pieces, unless bodies are always to be small", async () => {
  const bodies = bodiesWith("auto");
  const documents = Array.from({ length: 20 }, aDocument);
  const sent = await Promise.all(documents.map((one) => bodies.of(one, "gzip")));
  const joined = sent.filter((body, index) => isJoined(body, documents[index]!));
  expect(joined).toHaveLength(19);
  const small = bodiesWith("small");
  const whole = await Promise.all(documents.map((one) => small.of(one, "gzip")));
  expect(whole.some((body, index) => isJoined(body, documents[index]!))).toBe(false);
});

test("a turn with several requests is followed by one with stored pieces, and a quiet one is not", async () => {
  const bodies = bodiesWith("auto");
  const sent = [aDocument(), aDocument(), aDocument()].map((one) => bodies.of(one, "gzip"));
  await turn();
  const after = aDocument();
  expect(isJoined(await bodies.of(after, "gzip"), after)).toBe(true);
  await Promise.all(sent);
  await pause();
  const later = aDocument();
  expect(isJoined(await bodies.of(later, "gzip"), later)).toBe(false);
});

test("under load, what is requested again is compressed in the background", async () => {
  const bodies = bodiesWith("auto");
  const { content, rest } = aDocument();
  const hot = { content: hotContent(content), rest };
  const overload = () => [aDocument(), aDocument()].map((one) => bodies.of(one, "gzip"));
  await Promise.all(overload());
  expect(isJoined(await bodies.of(hot, "gzip"), hot)).toBe(true);
  for (;;) {
    await Promise.all(overload());
    const body = await bodies.of(hot, "gzip");
    if (isJoined(body, hot)) await turn();
    else {
      expect(textOf(body)).toBe(textOf(await bodiesWith("fast").of(hot, "gzip")));
      return;
    }
  }
});

test("a cache has at most as many bytes as it may, of the entries used last", () => {
  const cache = new ByteCache<number>(100_000);
  for (let index = 0; index < 10_000; index++) {
    cache.set(`key ${index}`, index, 9_000);
    cache.get("key 0");
  }
  const kept = Array.from({ length: 10_000 }, (_, index) => index).filter(
    (index) => cache.get(`key ${index}`) !== undefined,
  );
  expect(kept.length * 9_000).toBeWithin(50_000, 100_001);
  expect(kept[0]).toBe(0);
  expect(kept.at(-1)).toBe(9_999);
  cache.set("large", 1, 100_001);
  expect(cache.get("large")).toBeUndefined();
});
