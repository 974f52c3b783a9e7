/** Quotas in memory: the rule, and a bounded number of sets, as portal visitors have them. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { MemoryQuotas } from "../../src/access/quota.ts";

const NOW = Date.UTC(2026, 2, 14, 12);

test("counts are exact, whatever the hashes: the set that crosses the quota counts, then only known ones are allowed", () => {
  const hash = fc.oneof(fc.maxSafeNat(), fc.nat({ max: 60 }), fc.constant(2 ** 32));
  const page = fc.uniqueArray(hash, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      fc.array(page, { maxLength: 60 }),
      fc.integer({ min: 1, max: 90 }),
      (pages, quota) => {
        const reported: number[] = [];
        const quotas = new MemoryQuotas(({ matches }) => reported.push(...matches));
        const counted = new Set<number>();
        for (const matches of pages) {
          const isAllowed = matches.every((match) => counted.has(match)) || counted.size < quota;
          expect(quotas.consume("k", matches, quota, NOW)).toBe(isAllowed);
          if (isAllowed) for (const match of matches) counted.add(match);
          expect(quotas.count("k", NOW)).toBe(counted.size);
        }
        expect(reported).toEqual([...counted]);
      },
    ),
  );
});

test("beyond its size, the sets that were used least recently are dropped", () => {
  const quotas = new MemoryQuotas(undefined, 4);
  for (const id of ["a", "b", "c", "d"]) quotas.consume(id, [1], 10, NOW);
  // Used again, so that "b" is the oldest.
  quotas.consume("a", [2], 10, NOW);
  quotas.consume("e", [1], 10, NOW);
  const counts = ["a", "b", "c", "d", "e"].map((id) => quotas.count(id, NOW));
  expect(counts).toEqual([2, 0, 1, 1, 1]);
});
