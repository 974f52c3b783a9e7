/** `matchbook why`: explains why a match is or is not served. */

import { restoreRecord } from "../document/record.ts";
import type { MatchRecord } from "../domain/match.ts";
import { GAME_MODES, VOID_ENDINGS } from "../domain/modes.ts";
import { formatTimestamp } from "../domain/time.ts";
import { visibility, WITHHELD_REASONS, type WithheldReason } from "../domain/visibility.ts";
import { WINDOW_DAYS, WINDOW_MILLISECONDS } from "../query/window.ts";
import type { Shards } from "../store/shards.ts";
import { defineCommand } from "./command.ts";
import { chosenShards, SHARD, withShards } from "./shard-store.ts";
import { table } from "./table.ts";

export const why = defineCommand({
  name: "why",
  description: "print whether a match is served, withheld (and by which rule), pruned or unknown",
  arguments: { ...SHARD, "<match>": "match id" },
  json: "print one JSON object; its state is served, withheld, pruned or unknown",
  examples: {
    "matchbook why na 4f6f3ac2-6c0e-4b6e-9f43-0a9a1c0f7b11": "explain one match",
  },
  async run({ settings }, shard: string, match: string) {
    const finding = await withShards(settings, (shards) => examine(shards, shard, match));
    return { json: finding, text: describe(finding) };
  },
});

/** The record, if any, and the result of the rules. */
type Finding = Awaited<ReturnType<typeof examine>>;

async function examine(shards: Shards, shard: string, match: string) {
  const unknown = (detail: string) => ({ shard, match, state: "unknown" as const, detail });
  const writer = await shards.existingWriter(shard);
  if (!writer) {
    chosenShards(await shards.list(), [shard]);
    return unknown(`shard ${shard} has no records yet`);
  }
  const [found] = await writer.survey(async (state) => state.load([match]));
  const cutoff = await writer.prunedBefore();
  const older =
    cutoff === undefined ? "" : `older than the prune cutoff (${formatTimestamp(cutoff)})`;
  if (!found) {
    const reasons = older === "" ? "or it was rejected" : `it was rejected, or it is ${older}`;
    return unknown(
      `no record with this id is stored in ${shard}: it was never received, ${reasons}`,
    );
  }
  if (cutoff !== undefined && found.match.createdAt < cutoff) {
    return { shard, match, state: "pruned" as const, detail: older };
  }
  const record = restoreRecord(found.match);
  const playing = record.players.filter(({ part }) => part);
  const ids = playing.map(({ id }) => id);
  const ranked = await writer.survey(async (state) => state.rankedEvidence(ids));
  const verdict = visibility(record, (id) => ranked.has(id));
  return {
    shard,
    match,
    ...(verdict.state === "served"
      ? {
          state: "served" as const,
          detail: `all three rules are met${hintAtWindow(record.createdAt, Date.now())}`,
        }
      : {
          state: "withheld" as const,
          /** Which of the three rules withholds it. */
          rule: WITHHELD_REASONS.indexOf(verdict.reason) + 1,
          reason: verdict.reason,
          detail: explain(verdict.reason, record),
        }),
    /** The values that the rules use. */
    looked: {
      createdAt: formatTimestamp(record.createdAt),
      gameMode: record.gameMode,
      endGameReason: record.endGameReason,
      players: playing.map(({ id, carried }) => ({
        id,
        name: carried.attributes.name as string,
        ranked: ranked.has(id),
      })),
    },
  };
}

/** A served match may be missing from lists whose time window is too short. */
function hintAtWindow(createdAt: number, now: number): string {
  if (createdAt > now) return "; it is listed from that time on";
  if (createdAt >= now - WINDOW_MILLISECONDS) return "";
  return `; it is older than the ${WINDOW_DAYS} days listed by default: use filter[createdAt-start]`;
}

function explain(reason: WithheldReason, record: MatchRecord): string {
  switch (reason) {
    case "game-mode":
      return `its game mode "${record.gameMode}" is not one of ${GAME_MODES.join(", ")}`;
    case "ending":
      return `it ended with "${record.endGameReason}"; matches that end with ${VOID_ENDINGS.join(" or ")} are not served`;
    case "no-ranked-player":
      return "it is a private match and none of its registered players is ranked: none played in a served ranked match, and no record has played_ranked >= 1 for any of them";
  }
}

function describe(finding: Finding): string {
  const lines = [
    finding.state === "withheld"
      ? `withheld by rule ${finding.rule} (${finding.reason}): ${finding.detail}`
      : `${finding.state}: ${finding.detail}`,
  ];
  if (finding.state === "unknown" || finding.state === "pruned") return lines.join("\n");
  const { createdAt, gameMode, endGameReason, players } = finding.looked;
  const rows = [
    ["createdAt", createdAt],
    ["gameMode", gameMode],
    ["endGameReason", endGameReason],
    ...players.map(({ id, name, ranked }) => [
      "player",
      `${id} "${name}" ${ranked ? "ranked" : "not ranked"}`,
    ]),
  ];
  return [...lines, table(rows.map((row) => ["", ...row]))].join("\n");
}
