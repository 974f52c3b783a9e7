/** `matchbook why`: why a match is, or is not, served. */

import { restoreRecord } from "../document/record.ts";
import type { MatchRecord } from "../domain/match.ts";
import { GAME_MODES, VOID_ENDINGS } from "../domain/modes.ts";
import { formatTimestamp } from "../domain/time.ts";
import { visibility, WITHHELD_REASONS, type WithheldReason } from "../domain/visibility.ts";
import { WINDOW_DAYS, WINDOW_MILLISECONDS } from "../query/parameters.ts";
import type { Shards } from "../store/shards.ts";
import { type AddCommand, print, settingsOf, withExamples, withSettings } from "./command.ts";
import { unknownShard, withShards } from "./shard-store.ts";
import { table } from "./table.ts";

export const why: AddCommand = (program) => {
  const command = program
    .command("why")
    .description("say whether a match is served, withheld (by which rule) or was never received")
    .argument("<shard>", "the shard's id")
    .argument("<match>", "the match's id")
    .option("--json", "print one JSON object; its state is served, withheld or unknown")
    .action(async (shard: string, match: string, flags: { json?: true }) => {
      const finding = await withShards(settingsOf(command).values, (shards) =>
        examine(shards, shard, match),
      );
      print(flags.json ? JSON.stringify(finding) : describe(finding));
    });
  withSettings(command);
  withExamples(command, [["matchbook why na 4f6f3ac2-6c0e-4b6e-9f43-0a9a1c0f7b11", "one match"]]);
};

/** The record that was found, if any, and what the rules say about it. */
type Finding = Awaited<ReturnType<typeof examine>>;

async function examine(shards: Shards, shard: string, match: string) {
  const unknown = (detail: string) => ({ shard, match, state: "unknown" as const, detail });
  const writer = await shards.existingWriter(shard);
  if (!writer) {
    const ids = await shards.list();
    if (!ids.includes(shard)) throw unknownShard(shard, ids);
    return unknown(`nothing was ever received in ${shard}`);
  }
  const found = await writer.inspect(match);
  if (!found) {
    return unknown(`no record with this id was ever received in ${shard}, or it was rejected`);
  }
  const record = restoreRecord(found.match);
  const playing = record.players.filter(({ part }) => part);
  const ranked = await writer.rankedEvidence(playing.map(({ id }) => id));
  const verdict = visibility(record, (id) => ranked.has(id));
  return {
    shard,
    match,
    ...(verdict.served
      ? {
          state: "served" as const,
          detail: `all three rules hold${hintAtWindow(record.createdAt, Date.now())}`,
        }
      : {
          state: "withheld" as const,
          /** Which of the three rules withholds it. */
          rule: WITHHELD_REASONS.indexOf(verdict.reason) + 1,
          reason: verdict.reason,
          detail: explain(verdict.reason, record),
        }),
    /** The values that the rules looked at. */
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

/** A match may be served and yet not be listed, for those who do not ask far enough back. */
function hintAtWindow(createdAt: number, now: number): string {
  if (createdAt > now) return "; it is listed once its time has come";
  if (createdAt >= now - WINDOW_MILLISECONDS) return "";
  return `; it is older than the ${WINDOW_DAYS} days listed by default: ask with filter[createdAt-start]`;
}

function explain(reason: WithheldReason, record: MatchRecord): string {
  switch (reason) {
    case "game-mode":
      return `its game mode "${record.gameMode}" is none of ${GAME_MODES.join(", ")}`;
    case "ending":
      return `it ended with "${record.endGameReason}"; matches that end with ${VOID_ENDINGS.join(" or ")} are not served`;
    case "no-ranked-player":
      return "it is a private match, and none of its registered players is ranked: none is named by a served ranked match, and no record says played_ranked >= 1 of one";
  }
}

function describe(finding: Finding): string {
  const lines = [
    finding.state === "withheld"
      ? `withheld by rule ${finding.rule} (${finding.reason}): ${finding.detail}`
      : `${finding.state}: ${finding.detail}`,
  ];
  if (finding.state === "unknown") return lines.join("\n");
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
