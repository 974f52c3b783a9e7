/** Conformance: what was found out about the shard as a whole. */

import { expect } from "bun:test";
import type { Transaction } from "../../src/store/store.ts";
import { anEntry, serve } from "./entries.ts";
import type { Guarantee } from "./suite.ts";

const HOUR = 3_600_000;
const NONE = { verdict: undefined, verifyingSince: undefined, wal: undefined };
const DAMAGE = [{ table: "matches", record: "é\n'", detail: "it is missing" }];

export function findingGuarantees(guarantee: Guarantee): void {
  guarantee("the last verdict is kept, with its first damage", async (store) => {
    const { writer } = store;
    expect(await writer.findings()).toEqual(NONE);
    const judge = (at: number, damaged: number, damage = DAMAGE) =>
      writer.write(async (transaction) => transaction.setVerdict({ at, damaged, damage }));
    await judge(7, 1);
    expect(await writer.findings()).toEqual({
      ...NONE,
      verdict: { at: 7, damaged: 1, damage: DAMAGE },
    });
    const many = Array.from({ length: 100 }, (_, at) => ({ ...DAMAGE[0]!, record: String(at) }));
    await judge(8, 10_000, many);
    const { verdict } = await store.rival().findings();
    expect(verdict).toMatchObject({ at: 8, damaged: 10_000 });
    expect(verdict!.damage).toEqual(many.slice(0, verdict!.damage.length));
    await judge(9, 0, []);
    await serve(writer, anEntry("a"));
    expect(await writer.findings()).toEqual({
      ...NONE,
      verdict: { at: 9, damaged: 0, damage: [] },
    });
  });

  guarantee("one process verifies, once an interval", async ({ writer, rival }) => {
    const claim = (now: number, one = writer) =>
      one.write(async (transaction) => transaction.claimVerify(now, HOUR));
    const write = (work: (transaction: Transaction) => unknown) =>
      writer.write(async (transaction) => void (await work(transaction)));
    expect(await claim(HOUR)).toBe(true);
    expect(await claim(HOUR, rival())).toBe(false);
    expect((await writer.findings()).verifyingSince).toBe(HOUR);
    // It was killed.
    expect(await claim(2 * HOUR - 1)).toBe(false);
    expect(await claim(2 * HOUR)).toBe(true);
    await write((transaction) => transaction.releaseVerify());
    expect(await claim(2 * HOUR + 1)).toBe(true);
    await write((transaction) => transaction.setVerdict({ at: 3 * HOUR, damaged: 0, damage: [] }));
    expect((await writer.findings()).verifyingSince).toBeUndefined();
    // It is about a shard that was replaced.
    const late = { at: 4 * HOUR, damaged: 1, damage: DAMAGE };
    await write((transaction) => transaction.setVerdict(late, { at: 2 * HOUR + 1 }));
    expect((await writer.findings()).verdict).toMatchObject({ at: 3 * HOUR, damaged: 0 });
    expect(await claim(4 * HOUR - 1)).toBe(false);
    // The clock was far ahead.
    expect(await claim(HOUR)).toBe(true);
  });
}
