/**
 * Redacts players in a shard: removes them from every record that names them. One transaction lists them and rewrites
 * what is served, so that readers see all of it or nothing; from then on ingest removes them from records too. Withheld
 * records, which nobody reads, follow in small transactions. A redaction that was interrupted can be repeated.
 */

import { fragmentText } from "../document/join-pieces.ts";
import { restoreNamed } from "../document/record.ts";
import { linksToAny, redactLinks } from "../domain/redact.ts";
import { BEFORE_WITHHELD, inSteps, recordBatches, tableRows } from "../export/scan.ts";
import { applyBatch, namesAny } from "../ingest/commit-batch.ts";
import { restore } from "../ingest/prepare.ts";
import { changeSnapshots } from "../ingest/update-players.ts";
import { prune, removeOldest } from "../prune/prune.ts";
import {
  DamagedData,
  type Redaction,
  type ShardRecord,
  type Transaction,
  type Writer,
} from "../store/store.ts";
import { PLAYER_BASE } from "../store/tables.ts";

/** Records in memory at a time. */
const STEP = 100;

export interface Redacted {
  /** Records that were rewritten. */
  served: number;
  withheld: number;
}

export type OnRedacted = (soFar: Readonly<Redacted>) => void;

/**
 * Players who are redacted already, and those whom no record names, do no harm. `beforeCommit` is the last step of the
 * transaction: if it throws, nothing is changed.
 */
export async function redactPlayers(
  writer: Writer,
  redactions: readonly Redaction[],
  onProgress: OnRedacted = () => {},
  beforeCommit: () => Promise<void> = async () => {},
): Promise<Redacted> {
  const ids = new Set(redactions.map(({ playerId }) => playerId));
  const redacted: Redacted = { served: 0, withheld: 0 };
  const count = (records: readonly ShardRecord[]) => {
    for (const { fate } of records) redacted[fate.state] += 1;
    onProgress(redacted);
  };
  // Records that were pruned but not removed yet cannot be rewritten.
  const cutoff = await writer.prunedBefore();
  if (cutoff !== undefined) await prune(writer, cutoff, { rest: 0 });
  await writer.write(async (transaction) => {
    await removePruned(transaction);
    await transaction.addRedactions([...redactions]);
    for (const id of ids) await redactServed(transaction, id, count);
    await beforeCommit();
  });
  for await (const found of withheldNaming(writer, ids)) {
    count(await writer.write((transaction) => rewrite(transaction, found)));
  }
  for await (const found of basesLinkingTo(writer, ids)) {
    await writer.write((transaction) =>
      changeSnapshots(transaction, found, (player) => redactLinks(player, ids)),
    );
  }
  return redacted;
}

/** A cutoff may have been set a moment ago. */
async function removePruned(transaction: Transaction): Promise<void> {
  if ((await transaction.prunedBefore()) === undefined) return;
  for (;;) {
    const { served, withheld } = await removeOldest(transaction, STEP);
    if (served + withheld < STEP) return;
  }
}

async function redactServed(
  transaction: Transaction,
  id: string,
  count: (records: readonly ShardRecord[]) => void,
): Promise<void> {
  await removeBase(transaction, id);
  // First those that could be withheld or served because of the others, and withheld ones with them.
  const dependents = await transaction.dependents([id]);
  for (let start = 0; start < dependents.length; start += STEP) {
    count(await rewrite(transaction, dependents.slice(start, start + STEP)));
  }
  let newest: string | undefined;
  for (;;) {
    const history = await transaction.playerHistory(id, STEP);
    if (history.length === 0) break;
    // The index lists a match whose record does not name the player.
    if (history[0]!.matchId === newest) throw new DamagedData("matches", newest);
    newest = history[0]!.matchId;
    count(
      await rewrite(
        transaction,
        history.map(({ matchId }) => matchId),
      ),
    );
  }
  await transaction.removePlayers([id]);
}

/** What pruned records left behind. */
async function removeBase(transaction: Transaction, id: string): Promise<void> {
  const base = (await transaction.basesOf([id])).get(id);
  if (!base) return;
  await transaction.removeBases([id]);
  if (base.rankedEvidence > 0) {
    await transaction.changeRankedEvidence(new Map([[id, -base.rankedEvidence]]));
  }
}

/** Replaces records by themselves, which removes the players that are listed now. Returns them as they were. */
async function rewrite(
  transaction: Transaction,
  ids: readonly string[],
): Promise<readonly ShardRecord[]> {
  const records = await transaction.load([...ids]);
  const batch = records.map(({ match }) => restore(match));
  await applyBatch(transaction, batch, { replace: true });
  return records;
}

/** The ids of withheld records that name one of the players, in steps: no index lists them. */
async function* withheldNaming(
  writer: Pick<Writer, "survey">,
  players: ReadonlySet<string>,
): AsyncGenerator<string[]> {
  for await (const batch of recordBatches(inSteps(writer), STEP, BEFORE_WITHHELD)) {
    const naming = batch.filter(({ match }) => namesAny(restoreNamed(match.carried), players));
    if (naming.length > 0) yield naming.map(({ match }) => match.id);
  }
}

/** The ids of players whom pruned records left with a link to one of the players, in steps. */
async function* basesLinkingTo(
  writer: Pick<Writer, "survey">,
  players: ReadonlySet<string>,
): AsyncGenerator<string[]> {
  const words = [...players].map((id) => `"${id}"`);
  for await (const step of tableRows(inSteps(writer), PLAYER_BASE)) {
    const linking = step.filter(({ snapshot }) => {
      if (!snapshot) return false;
      // Most can be left out without being parsed.
      const text = fragmentText(snapshot);
      if (!words.some((word) => text.includes(word))) return false;
      return restoreNamed(snapshot).players.some((one) => linksToAny(one, players));
    });
    if (linking.length > 0) yield linking.map(({ id }) => id);
  }
}

/** How many records name a player. */
export async function countNaming(writer: Writer, id: string): Promise<Redacted> {
  const history = await writer.write(async (transaction) =>
    transaction.playerHistory(id, Number.MAX_SAFE_INTEGER),
  );
  let withheld = 0;
  for await (const found of withheldNaming(writer, new Set([id]))) withheld += found.length;
  return { served: history.length, withheld };
}

/** Whether pruned records left anything of a player behind: the player's own totals, or links of other players. */
export async function isLeftByPruned(writer: Writer, id: string): Promise<boolean> {
  const bases = await writer.write(async (transaction) => transaction.basesOf([id]));
  if (bases.size > 0) return true;
  for await (const _ of basesLinkingTo(writer, new Set([id]))) return true;
  return false;
}
