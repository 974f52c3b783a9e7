/**
 * Commits to a shard what the export of another has besides its records, in one transaction. Whatever the shard has
 * already changes nothing, so that an export can be ingested again. Anything else is accepted where it cannot count a
 * match twice, hide one, or claim that a player was removed from records: in a shard that is empty.
 */

import { packPlayer, restoreNamed } from "../document/record.ts";
import { type ShardState, stateDocument } from "../document/shard-state.ts";
import { redactLinks } from "../domain/redact.ts";
import { formatTimestamp } from "../domain/time.ts";
import { get, insert } from "../store/steps.ts";
import type { PlayerBase, Redaction, StoredRow, Transaction, Writer } from "../store/store.ts";
import type { Table } from "../store/table.ts";
import { PLAYER_BASE } from "../store/tables.ts";
import { addBases } from "./update-players.ts";

/** Why a state is refused; undefined if it is accepted. */
type Refusal = string | undefined;

/** One for each state. All are of one kind. */
export function commitStates(
  writer: Writer,
  shard: string,
  states: readonly ShardState[],
): Promise<Refusal[]> {
  const of = <K extends ShardState["kind"]>(kind: K) =>
    states.filter((one): one is Extract<ShardState, { kind: K }> => one.kind === kind);
  return writer.write(async (transaction) => [
    ...(await addRedactions(transaction, shard, of("redacted"))),
    ...(await addPlayers(transaction, shard, of("base"))),
    ...(await addKept(transaction, shard, of("kept"))),
    ...(await advanceCutoff(transaction, writer, shard, of("pruned"))),
  ]);
}

type Of<K extends ShardState["kind"]> = readonly Extract<ShardState, { kind: K }>[];

async function addRedactions(
  transaction: Transaction,
  shard: string,
  states: Of<"redacted">,
): Promise<Refusal[]> {
  if (states.length === 0) return [];
  const listed = new Set((await transaction.redactions()).map(({ playerId }) => playerId));
  const isEmpty =
    (await hasNoRecords(transaction)) && (await transaction.rowCount(PLAYER_BASE)) === 0;
  const added = new Map<string, Redaction>();
  const refusals = states.map(({ redaction }) => {
    const { playerId } = redaction;
    if (!listed.has(playerId) && !isEmpty) {
      return `shard ${shard} is not empty, and player ${playerId} is not redacted there: run 'matchbook redact ${shard} ${playerId}', or ingest the export into an empty shard`;
    }
    added.set(playerId, redaction);
    return undefined;
  });
  await transaction.addRedactions([...added.values()]);
  return refusals;
}

async function addPlayers(
  transaction: Transaction,
  shard: string,
  states: Of<"base">,
): Promise<Refusal[]> {
  if (states.length === 0) return [];
  const redactions = await transaction.redactions();
  const redacted = new Set(redactions.map(({ playerId }) => playerId));
  const there = await transaction.basesOf([...new Set(states.map(({ base }) => base.id))]);
  const isEmpty =
    (await hasNoRecords(transaction)) && (await transaction.prunedBefore()) === undefined;
  const added: PlayerBase[] = [];
  const refusals = states.map(({ base: given }) => {
    if (redacted.has(given.id)) return undefined;
    const base = redacted.size > 0 ? withoutLinks(given, redacted) : given;
    const present = there.get(base.id);
    if (present ? areEqual(present, base) : isEmpty) {
      if (!present) added.push(base);
      there.set(base.id, base);
      return undefined;
    }
    return `shard ${shard} is not empty, so the pruned matches of player ${base.id} could count twice: ingest the export into an empty shard`;
  });
  await addBases(transaction, added);
  return refusals;
}

async function addKept(
  transaction: Transaction,
  shard: string,
  states: Of<"kept">,
): Promise<Refusal[]> {
  if (states.length === 0) return [];
  const isEmpty =
    (await hasNoRecords(transaction)) && (await transaction.prunedBefore()) === undefined;
  const refusals = new Map<Of<"kept">[number], Refusal>();
  for (const [shape, given] of Map.groupBy(states, ({ table }) => table)) {
    const table = shape as unknown as Table<StoredRow>;
    const keyOf = (row: StoredRow) => JSON.stringify(table.key.map((name) => row[name]));
    const rows = given.map(({ row }) => row);
    const stored = await transaction.run(() => get(table, rows));
    const there = new Map(stored.map((row) => [keyOf(row), row]));
    const added: StoredRow[] = [];
    for (const state of given) {
      const { row } = state;
      const present = there.get(keyOf(row));
      if (present ? areSame(state, present) : isEmpty) {
        if (!present) added.push(row);
        there.set(keyOf(row), row);
        continue;
      }
      refusals.set(
        state,
        `shard ${shard} is not empty, so the pruned matches of ${table.label(row)} could count twice: ingest the export into an empty shard`,
      );
    }
    await transaction.run(() => insert(table, added));
  }
  return states.map((state) => refusals.get(state));
}

const areSame = (state: Of<"kept">[number], row: StoredRow): boolean =>
  stateDocument("", { ...state, row }) === stateDocument("", state);

/** The last line of an export. Only records that the export has too may be older. */
async function advanceCutoff(
  transaction: Transaction,
  writer: Writer,
  shard: string,
  states: Of<"pruned">,
): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  for (const { before, left } of states) {
    const present = (await transaction.prunedBefore()) ?? Number.NEGATIVE_INFINITY;
    let refusal: Refusal;
    if (present < before) {
      const { served, withheld } = await writer.countOlder(before);
      if (served + withheld === left) await transaction.setPrunedBefore(before);
      else
        refusal = `shard ${shard} has ${served + withheld} records from before the cutoff ${formatTimestamp(before)}, and the export has ${left}: ingest the export into an empty shard`;
    }
    refusals.push(refusal);
  }
  return refusals;
}

const hasNoRecords = async (transaction: Transaction): Promise<boolean> =>
  (await transaction.records(undefined, 1)).length === 0;

const areEqual = (one: PlayerBase, other: PlayerBase): boolean =>
  stateDocument("", { kind: "base", base: one }) ===
  stateDocument("", { kind: "base", base: other });

/** Players may have been redacted after the export was made. */
function withoutLinks(base: PlayerBase, redacted: ReadonlySet<string>): PlayerBase {
  if (!base.standing) return base;
  const [player] = restoreNamed(base.standing.snapshot).players;
  const snapshot = packPlayer(redactLinks(player!, redacted));
  return { ...base, standing: { ...base.standing, snapshot } };
}
