/** Verifies what is counted over all records: the evidence that players are ranked, its dependents, and the vocabulary. */

import { dependencies } from "../ingest/commit-batch.ts";
import type { DependentPair, ShardRecord, StoredState } from "../store/store.ts";
import type { Context } from "./context.ts";
import { carriedOf, outlinesOf } from "./decode.ts";
import { differences } from "./differences.ts";
import type { Expected } from "./expected.ts";

export async function verifyEvidence(context: Context, expected: Expected): Promise<void> {
  const different = differences(
    context,
    (state, after, limit) => state.evidenceAfter(after, limit),
    expected.evidence,
    (stored, right) => stored === right,
  );
  for await (const ids of different) await countAgain(context, ids);
}

/** Counts the evidence of these players in one state: something may have been written since their records were read. */
async function countAgain({ note, survey }: Context, ids: string[]): Promise<void> {
  await survey(async (state) => {
    const bases = await state.basesOf(ids);
    const counts = new Map(ids.map((id) => [id, bases.get(id)?.rankedEvidence ?? 0]));
    for (const id of ids) {
      const history = await state.playerHistory(id, Number.MAX_SAFE_INTEGER);
      for (const { matchId } of history) {
        for (const { shownRanked } of outlinesOf(await state.load([matchId]))) {
          if (shownRanked.includes(id)) add(counts, id);
        }
      }
    }
    for await (const record of withheld(state)) {
      // Most records name none of them, and need not be decoded.
      if (!carriedOf(record.match.carried).players.some(({ id }) => counts.has(id))) continue;
      for (const { shownRanked } of outlinesOf([record])) {
        for (const id of shownRanked) add(counts, id);
      }
    }
    const stored = await state.rankedEvidence(ids);
    for (const [id, records] of counts) {
      const found = stored.get(id) ?? 0;
      if (found === records) continue;
      note(
        "ranked_evidence",
        id,
        `player ${id} is counted as ranked by ${found} records instead of ${records}: private matches of the player may be served or withheld by mistake`,
      );
    }
  });
}

const RECORDS_AT_A_TIME = 100;

async function* withheld(state: StoredState): AsyncGenerator<ShardRecord> {
  let last: Parameters<StoredState["records"]>[0] = {
    fate: { state: "withheld", reason: "game-mode" },
    match: { createdAt: 0, id: "" },
  };
  for (;;) {
    const batch = await state.records(last, RECORDS_AT_A_TIME);
    yield* batch;
    if (batch.length < RECORDS_AT_A_TIME) return;
    last = batch.at(-1)!;
  }
}

/** Every stored dependent is a private match with this player in a roster. */
export async function verifyDependents(
  { note, step, rows }: Context,
  expected: Expected,
): Promise<void> {
  let after: DependentPair = ["", ""];
  for (let isOver = false; !isOver; ) {
    await step(async (state) => {
      const pairs = await state.dependentsAfter(after, rows);
      after = pairs.at(-1) ?? after;
      isOver = pairs.length < rows;
      for (const pair of pairs.filter((one) => !expected.hasDependent(one))) {
        const [player, match] = pair;
        // It may have been written since the records were read.
        const records = outlinesOf(await state.load([match]));
        if (records.flatMap(dependencies).some(([id]) => id === player)) continue;
        note(
          "dependents",
          pair.join(" "),
          `match ${match} is linked to player ${player}, but its visibility does not depend on the player`,
        );
      }
      return pairs.length;
    });
  }
}

/** Words are counted over all served records, so that they can be counted again only in one long read. */
export async function verifyVocabulary(
  { note, step, survey }: Context,
  expected: Expected,
): Promise<void> {
  let doubtful: string[] = [];
  await step(async (state) => {
    const stored = await state.vocabularyCounts();
    doubtful = [...new Set([...stored.keys(), ...expected.words.keys()])].filter(
      (word) => stored.get(word) !== expected.words.get(word),
    );
    return stored.size;
  });
  if (doubtful.length === 0) return;
  await survey(async (state) => {
    const counts = new Map(doubtful.map((word) => [word, 0]));
    let last: ShardRecord | undefined;
    for (let isOver = false; !isOver; ) {
      const batch = await state.records(last, RECORDS_AT_A_TIME);
      last = batch.at(-1);
      const served = batch.filter(({ fate }) => fate.state === "served");
      for (const { words } of outlinesOf(served)) for (const word of words) add(counts, word);
      isOver = served.length < RECORDS_AT_A_TIME;
    }
    const stored = await state.vocabularyCounts();
    for (const word of doubtful) {
      const [found = 0, records = 0] = [stored.get(word), counts.get(word)];
      if (found === records) continue;
      note(
        "vocabulary",
        word,
        `${word} is counted in ${found} served records instead of ${records}: include or fields may be refused, or accepted in vain`,
      );
    }
  });
}

/** Counts only what is asked for. */
function add(counts: Map<string, number>, key: string): void {
  const count = counts.get(key);
  if (count !== undefined) counts.set(key, count + 1);
}
