/** Conformance: whatever a record has is returned as it was stored. */

import { expect } from "bun:test";
import fc from "fast-check";
import { viewOf } from "../../src/store/byte-range.ts";
import type { StoredMatch } from "../../src/store/store.ts";
import { scaled } from "../support/scale.ts";
import { anEntry, serve } from "./entries.ts";
import type { Guarantee } from "./suite.ts";

/** The record only, with bytes of one type. */
function plain(match: StoredMatch): StoredMatch {
  const { id, createdAt, gameMode, patchVersion } = match;
  const copy = (from: Uint8Array) => new Uint8Array(from);
  return {
    id,
    createdAt,
    gameMode,
    patchVersion,
    encoded: copy(match.encoded),
    contentHash: copy(match.contentHash),
    carried: copy(match.carried),
  };
}

const anyBytes = fc.uint8Array({ maxLength: 300 });
const anyText = fc.string({ unit: "binary", maxLength: 40 }).filter((one) => !one.includes("\0"));
const YEAR_0 = -62_167_219_200_000;
const END_OF_9999 = 253_402_300_799_999;
const anyRecord: fc.Arbitrary<Omit<StoredMatch, "id">> = fc.record({
  createdAt: fc.oneof(
    fc.integer({ min: YEAR_0, max: END_OF_9999 }),
    fc.constantFrom(YEAR_0, -1, 0, END_OF_9999),
  ),
  gameMode: anyText,
  patchVersion: anyText,
  encoded: anyBytes,
  contentHash: anyBytes,
  carried: anyBytes,
});

export function recordGuarantees(guarantee: Guarantee): void {
  guarantee("any bytes, texts and times are returned unchanged", async ({ writer, reader }) => {
    const open = await reader();
    let made = 0;
    const keptWhole = fc.asyncProperty(anyRecord, fc.boolean(), async (record, isServed) => {
      const kept = { ...record, id: `m${made++}` };
      await writer.write(async (transaction) => {
        if (isServed) await transaction.addServed([{ ...kept, players: [], teams: [] }]);
        else await transaction.addWithheld([{ ...kept, reason: "ending" }]);
      });
      const [found] = await writer.survey(async (state) => state.load([kept.id]));
      expect(plain(found!.match)).toEqual(kept);
      const bundle = await open.match(kept.id);
      if (!isServed) return expect(bundle).toBeUndefined();
      expect(plain({ ...kept, encoded: viewOf(bundle!.matches[0]!) })).toEqual(kept);
    });
    await fc.assert(keptWhole, { numRuns: scaled(60) });
  });

  guarantee("a record of a megabyte is stored completely", async ({ writer, reader }) => {
    const large = new Uint8Array(1 << 20).map((_, index) => (index * 7919) >> 5);
    await serve(writer, { ...anEntry("m"), encoded: large });
    const [encoded] = (await (await reader()).match("m"))!.matches;
    expect(Buffer.compare(viewOf(encoded!), large)).toBe(0);
  });
}
