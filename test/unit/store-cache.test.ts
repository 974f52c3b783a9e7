/** The cache of players and teams may lose an entry, but never returns an outdated or another one. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { viewOf, whole } from "../../src/store/byte-range.ts";
import { NamedCache } from "../../src/store/cache.ts";

/** Room for a few entries, and far fewer slots than numbers. */
const BYTES = 2048;

const step = fc.tuple(
  fc.constantFrom("add", "add", "find", "forget"),
  fc.integer({ min: 1, max: 200 }),
  fc.integer({ min: 1, max: 60 }),
);

test("an entry is found as it was added last, or not at all", () => {
  let found = 0;
  const property = fc.property(fc.array(step, { minLength: 50, maxLength: 300 }), (steps) => {
    const cache = new NamedCache(BYTES);
    const latest = new Map<number, string>();
    let version = 0;
    for (const [act, num, length] of steps) {
      const id = `id-${num}`;
      if (act === "add") {
        version += 1;
        const text = `${num} ${version} ${"x".repeat(length)}`;
        const lastMatchAt = version % 2 === 0 ? version : undefined;
        const resource = whole(Buffer.from(text));
        cache.add({ num, id, name: `name ${num}`, resource, companions: undefined, lastMatchAt });
        latest.set(num, text);
      } else if (act === "forget") {
        cache.forget(num);
        latest.delete(num);
      }
      for (const one of [cache.byNumber(num), cache.byId(id)]) {
        if (!one) continue;
        found += 1;
        expect(Buffer.from(viewOf(one.resource)).toString()).toBe(latest.get(num)!);
      }
      if (cache.hasId(num, id)) expect(latest.has(num)).toBe(true);
    }
  });
  fc.assert(property, { numRuns: 200 });
  expect(found).toBeGreaterThan(0);
});
