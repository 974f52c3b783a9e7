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
    const { state, detail, rule, reason, looked } = finding;
    const by = rule === undefined ? "" : ` by rule ${rule} (${reason})`;
    const { players = [], ...values } = looked ?? {};
    const rows = [
      ...Object.entries(values),
      ...players.map(({ id, name, ranked }) => [
        "player",
        `${id} "${name}" ${ranked ? "ranked" : "not ranked"}`,
      ]),
    ];
    const lines = [`${state}${by}: ${detail}`, table(rows.map((row) => ["", ...row]))];
    return { json: { shard, match, ...finding }, text: lines.join("\n").trimEnd() };
  },
});

interface Finding {
  state: "served" | "withheld" | "pruned" | "unknown";
  /** Which of the three rules withholds it. */
  rule?: number;
  reason?: WithheldReason;
  detail: string;
  /** The values that the rules use. */
  looked?: {
    createdAt: string;
    gameMode: string;
    endGameReason: string;
    players: { id: string; name: string; ranked: boolean }[];
  };
}

async function examine(shards: Shards, shard: string, match: string): Promise<Finding> {
  const writer = await shards.existingWriter(shard);
  if (!writer) {
    chosenShards(await shards.list(), [shard]);
    return { state: "unknown", detail: `shard ${shard} has no records yet` };
  }
  const [found] = await writer.survey(async (state) => state.load([match]));
  const cutoff = await writer.prunedBefore();
  const older =
    cutoff === undefined ? "" : `older than the prune cutoff (${formatTimestamp(cutoff)})`;
  if (!found) {
    const reasons = older === "" ? "or it was rejected" : `it was rejected, or it is ${older}`;
    const detail = `no record with this id is stored in ${shard}: it was never received, ${reasons}`;
    return { state: "unknown", detail };
  }
  if (cutoff !== undefined && found.match.createdAt < cutoff) {
    return { state: "pruned", detail: older };
  }
  const record = restoreRecord(found.match);
  const playing = record.players.filter(({ part }) => part);
  const ids = playing.map(({ id }) => id);
  const ranked = await writer.survey(async (state) => state.rankedEvidence(ids));
  const verdict = visibility(record, (id) => ranked.has(id));
  const { createdAt, gameMode, endGameReason } = record;
  const players = playing.map(({ id, carried }) => {
    return { id, name: carried.attributes.name as string, ranked: ranked.has(id) };
  });
  const looked = { createdAt: formatTimestamp(createdAt), gameMode, endGameReason, players };
  if (verdict.state === "served") {
    const detail = `all three rules are met${hintAtWindow(createdAt, Date.now())}`;
    return { state: "served", detail, looked };
  }
  const { reason } = verdict;
  const rule = WITHHELD_REASONS.indexOf(reason) + 1;
  return { state: "withheld", rule, reason, detail: EXPLANATIONS[reason](record), looked };
}

/** A served match may be missing from lists whose time window is too short. */
function hintAtWindow(createdAt: number, now: number): string {
  if (createdAt > now) return "; it is listed from that time on";
  if (createdAt >= now - WINDOW_MILLISECONDS) return "";
  return `; it is older than the ${WINDOW_DAYS} days listed by default: use filter[createdAt-start]`;
}

const EXPLANATIONS: Record<WithheldReason, (record: MatchRecord) => string> = {
  "game-mode": ({ gameMode }) =>
    `its game mode "${gameMode}" is not one of ${GAME_MODES.join(", ")}`,
  ending: ({ endGameReason }) =>
    `it ended with "${endGameReason}"; matches that end with ${VOID_ENDINGS.join(" or ")} are not served`,
  "no-ranked-player": () =>
    "it is a private match and none of its registered players is ranked: none played in a served ranked match, and no record has played_ranked >= 1 for any of them",
};
