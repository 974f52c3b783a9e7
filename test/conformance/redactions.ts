/** Conformance: the list of redacted players, and emptying the log. */

import { expect } from "bun:test";
import { anEntry, serve } from "./entries.ts";
import type { Guarantee } from "./suite.ts";

export function redactionGuarantees(guarantee: Guarantee): void {
  guarantee("redactions are listed by id, each with its first time", async ({ writer, rival }) => {
    expect(await writer.redactions()).toEqual([]);
    const list = (...entries: [string, number][]) =>
      writer.write(async (transaction) =>
        transaction.addRedactions(
          entries.map(([playerId, redactedAt]) => ({ playerId, redactedAt })),
        ),
      );
    await list(["p", 7], ["P", -1]);
    await list(["p", 9], ["a", 1_700_000_000_123]);
    const expected = [
      { playerId: "P", redactedAt: -1 },
      { playerId: "a", redactedAt: 1_700_000_000_123 },
      { playerId: "p", redactedAt: 7 },
    ];
    expect(await writer.redactions()).toEqual(expected);
    expect(await rival().redactions()).toEqual(expected);
    expect(await writer.write(async (transaction) => transaction.redactions())).toEqual(expected);
  });

  guarantee("a base that is removed is gone; unknown ones are ignored", async ({ writer }) => {
    const base = (id: string) => ({ id, rankedEvidence: 1, standing: undefined });
    await writer.write(async (transaction) => {
      await transaction.putBases([base("p"), base("q")]);
      await transaction.removeBases(["p", "nobody"]);
      await transaction.removeBases([]);
      expect([...(await transaction.basesOf(["p", "q"])).values()]).toEqual([base("q")]);
    });
  });

  guarantee("emptying the log keeps everything", async (store) => {
    await serve(store.writer, anEntry("a"));
    expect(await store.writer.emptyLog()).toBe(true);
    expect((await store.writer.counts()).served).toBe(1);
    expect((await (await store.reader()).sizes()).walBytes ?? 0).toBe(0);
  });
}
