/** Quotas with a bounded number of counters, as portal visitors have them. */

import { expect, test } from "bun:test";
import { MemoryQuotas } from "../../src/access/quota.ts";

const NOW = Date.UTC(2026, 2, 14, 12);
const hash = (low: number) => [{ high: 1, low }];

test("beyond its size, the counters that were used least recently are dropped", async () => {
  const quotas = new MemoryQuotas(undefined, 4);
  for (const id of ["a", "b", "c", "d"]) quotas.consume(id, hash(1), 10, NOW);
  // Used again, so that "b" is the oldest.
  quotas.consume("a", hash(2), 10, NOW);
  quotas.consume("e", hash(1), 10, NOW);
  const counts = await Promise.all(["a", "b", "c", "d", "e"].map((id) => quotas.count(id, NOW)));
  expect(counts).toEqual([2, 0, 1, 1, 1]);
});
