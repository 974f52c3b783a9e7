/** Conformance: compares summary and counts with the records, after random writes. */

import { expect } from "bun:test";
import fc from "fast-check";
import { WITHHELD_REASONS, type WithheldReason } from "../../src/domain/visibility.ts";
import type { MatchEntry, Reader, Transaction } from "../../src/store/store.ts";
import { costly } from "../support/scale.ts";
import { addPlainly, withheld } from "./entries.ts";
import { entryWith } from "./model.ts";
import type { Guarantee, TestStore } from "./suite.ts";

/** A record of the model: served as this entry, or withheld. */
type Kept = { served: MatchEntry } | { withheld: WithheldReason };
type Model = ReadonlyMap<string, Kept>;

interface Write {
  /** The new state of each id; "gone" removes it. */
  moves: [id: string, next: Kept | "gone"][];
  /** Whether the write is rolled back. */
  fails: boolean;
}

// Few ids, so that most writes replace, release, withhold or remove something.
const id = fc.constantFrom("a", "b", "c", "d", "e");

const next: fc.Arbitrary<Kept | "gone"> = fc.oneof(
  { weight: 4, arbitrary: entryWith(fc.constant("")).map((served) => ({ served })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...WITHHELD_REASONS).map((reason) => ({ withheld: reason })),
  },
  { weight: 2, arbitrary: fc.constant("gone" as const) },
);

const history: fc.Arbitrary<Write[]> = fc.array(
  fc.record({
    moves: fc.uniqueArray(fc.tuple(id, next), { selector: ([one]) => one, maxLength: 4 }),
    fails: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  }),
  { minLength: 1, maxLength: 12 },
);

export function summaryGuarantees(guarantee: Guarantee): void {
  guarantee("summary and counts match the records after every write", async (store) => {
    const reader = await store.reader();
    let model: Model = new Map();
    const addsUp = fc.asyncProperty(history, async (writes) => {
      for (const write of writes) {
        model = await carryOut(store, model, write);
        const summary = await reader.summary();
        const { counted, read } = await atOneMoment(store.writer, reader);
        const { bytes, ...counts } = counted;
        const expected = countsOf(model);
        expect(counts).toEqual(expected);
        if (expected.served > 0) expect(bytes).toBeGreaterThan(0);
        expect(read).toBe(bytes);
        const { served: matches, players, newestMatch } = expected;
        expect(summary).toEqual({ matches, players, newestMatch });
      }
    });
    await fc.assert(addsUp, { numRuns: costly(60) });
  });
}

const ATTEMPTS = 20;

/** PostgreSQL vacuums in the background, which may change the size between two reads of it, and back. */
async function atOneMoment(writer: TestStore["writer"], reader: Pick<Reader, "sizes">) {
  for (let attempt = 1; ; attempt++) {
    const counted = await writer.counts();
    const { bytes: read } = await reader.sizes();
    if (read === counted.bytes || attempt === ATTEMPTS) return { counted, read };
  }
}

/** Writes like ingest: removals first, then additions, then players and teams without matches. */
async function carryOut({ writer }: TestStore, model: Model, write: Write): Promise<Model> {
  const after = new Map(model);
  for (const [one, kept] of write.moves) {
    if (kept === "gone") after.delete(one);
    else after.set(one, "served" in kept ? { served: { ...kept.served, id: one } } : kept);
  }
  const before = write.moves.flatMap(([one]) => model.get(one) ?? []);
  const coming = write.moves.flatMap(([one]) => after.get(one) ?? []);
  const written = writer.write(async (transaction) => {
    await transaction.removeServed(served(before));
    await transaction.removeWithheld(write.moves.map(([one]) => one));
    await addPlainly(transaction, served(coming));
    await transaction.addWithheld(
      write.moves.flatMap(([one]) => {
        const kept = after.get(one);
        return kept && "withheld" in kept ? withheld(one, kept.withheld) : [];
      }),
    );
    await removeOrphans(transaction, served(before), served([...after.values()]));
    if (write.fails) throw new Error("out of luck");
  });
  expect(
    await written.then(
      () => false,
      () => true,
    ),
  ).toBe(write.fails);
  return write.fails ? model : after;
}

async function removeOrphans(
  transaction: Transaction,
  left: MatchEntry[],
  staying: MatchEntry[],
): Promise<void> {
  const gone = (kind: "players" | "teams") => {
    const named = idsIn(staying, kind);
    return [...idsIn(left, kind)].filter((one) => !named.has(one));
  };
  // Unknown ids are ignored and not counted.
  await transaction.removePlayers([...gone("players"), "nobody"]);
  await transaction.removeTeams([...gone("teams"), "nobody"]);
}

const served = (kept: Kept[]): MatchEntry[] =>
  kept.flatMap((one) => ("served" in one ? one.served : []));

const idsIn = (entries: MatchEntry[], kind: "players" | "teams"): Set<string> =>
  new Set(entries.flatMap((entry) => entry[kind].map((one) => one.id)));

function countsOf(model: Model) {
  const entries = served([...model.values()]);
  const reasons = [...model.values()].flatMap((kept) => ("withheld" in kept ? kept.withheld : []));
  return {
    served: entries.length,
    withheld: Object.fromEntries(
      WITHHELD_REASONS.map((reason) => [reason, reasons.filter((one) => one === reason).length]),
    ) as Record<WithheldReason, number>,
    players: idsIn(entries, "players").size,
    teams: idsIn(entries, "teams").size,
    newestMatch:
      entries.length === 0 ? undefined : Math.max(...entries.map(({ createdAt }) => createdAt)),
  };
}
