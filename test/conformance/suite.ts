/**
 * The store conformance suite: checks the contract in src/store/store.ts for any adapter. An
 * adapter runs it from its own test file:
 *
 *   storeConformance("SQLite", makeStore);
 */

import { describe, test } from "bun:test";
import type { Awaitable } from "../../src/domain/awaitable.ts";
import type { Reader, Writer } from "../../src/store/store.ts";
import { changeGuarantees } from "./change-log.ts";
import { modelGuarantees } from "./compared.ts";
import { FEATURES } from "./features.ts";
import { findingGuarantees } from "./findings.ts";
import { pageGuarantees } from "./pages.ts";
import { recordGuarantees } from "./records.ts";
import type { ShardPlace } from "./writer-thread.ts";
import { writingGuarantees } from "./writing.ts";

/** One empty shard. */
export interface TestStore {
  writer: Writer;
  /** A new reader of the same shard; `close` of the store closes it. */
  reader(): Awaitable<Reader>;
  /**
   * Another writer of the same shard, as in another process, with a limited wait for its turn, and with its own clock.
   * `close` of the store closes it.
   */
  rival(patienceMs?: number, now?: () => number): Writer;
  /** The location, for a writer on another thread. */
  place: ShardPlace;
  close(): Awaitable<void>;
}

/** A guarantee; each one runs on a new, empty store. */
export type Guarantee = (
  title: string,
  body: (store: TestStore) => Promise<void>,
  milliseconds?: number,
) => void;

type Part = [topic: string, state: (guarantee: Guarantee) => void];
const PARTS: readonly Part[] = [
  ["writing", writingGuarantees],
  ["records", recordGuarantees],
  ["pages of matches", pageGuarantees],
  ["the change log", changeGuarantees],
  ["findings", findingGuarantees],
  ...FEATURES.flatMap(({ name, guarantees }): Part[] => (guarantees ? [[name, guarantees]] : [])),
  // Last, because its many writes make the next shard in the same schema slower.
  ["compared with a model", modelGuarantees],
];

/** All guarantees, or a selection. */
export function storeConformance(
  name: string,
  makeStore: () => Promise<TestStore>,
  isWanted: (topic: string) => boolean = () => true,
): void {
  const titles = new Set<string>();
  describe(`the ${name} store`, () => {
    for (const [topic, state] of PARTS) {
      describe(topic, () =>
        state((title, body, milliseconds) => {
          if (titles.has(title)) throw new Error(`two guarantees are called "${title}"`);
          titles.add(title);
          if (isWanted(topic)) test(title, () => withStore(makeStore, body), milliseconds);
        }),
      );
    }
  });
}

async function withStore(
  makeStore: () => Promise<TestStore>,
  body: (store: TestStore) => Promise<void>,
): Promise<void> {
  const store = await makeStore();
  try {
    await body(store);
  } finally {
    await store.close();
  }
}
