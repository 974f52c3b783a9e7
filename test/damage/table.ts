/** What can be damaged in a shard, and what must hold then, the same in both stores. The records are those of asking.ts. */

import type {
  MatchEntry,
  PlayerRow,
  ShardRecord,
  TeamRow,
  Transaction,
} from "../../src/store/store.ts";
import { PLAYERS, type PlayerColumns, TEAMS, type TeamColumns } from "../../src/store/tables.ts";
import { type Damage, inverted, withOtherPlayer } from "../support/engine.ts";
import { FEATURES } from "./features.ts";
import { ADA, type Columns, change, type Harm, remove, type Unlike } from "./row.ts";

export interface DamageRow {
  what: string;
  damage: Damage[] | Harm;
  /** What verify reports, as "table record". */
  found: RegExp;
  /** Whether verify --quick finds it too: a row or an index is wrong in itself. */
  isQuick: boolean;
  /** Of rows that were changed behind the back of the store. */
  seen?: {
    /** Whether requests show it: by an error or by something that is missing. Nothing wrong is ever served. */
    isShown: boolean;
    /** The digest is refused for a damaged record, another one, or the same: it does not cover everything. */
    digest: "refused" | "other" | "same";
  };
  /** How many entries the list of what repair cannot restore has. All others and everything derived are restored. */
  lost: number;
}

const zeros = (length: number) => new Uint8Array(length);
const FIRST = { after: undefined, limit: 100 };

/** A player as it is stored. */
async function playerIn(state: Transaction, id: string): Promise<PlayerRow> {
  const standing = (await state.standings([id])).get(id)!;
  const rows = (await state.rows(PLAYERS, FIRST)) as PlayerColumns[];
  const { resource, linked } = rows.find((one) => one.id === id)!;
  const name = JSON.parse(NAMES)[Number(id.slice(-1))];
  return { id, name, ...standing, skillTier: undefined, resource, companions: linked ?? undefined };
}
const NAMES = '["Ada","Bea","Ada","Eve 名前","Ida","Uma"]';

const put =
  (
    id: string,
    changes: (
      player: PlayerRow,
      state: Transaction,
    ) => Partial<PlayerRow> | Promise<Partial<PlayerRow>>,
  ): Harm =>
  async (state) => {
    const player = await playerIn(state, id);
    await state.putPlayers([{ ...player, ...(await changes(player, state)) }]);
  };

const putTeam =
  (changes: Partial<TeamRow>): Harm =>
  async (state) => {
    const [team] = (await state.rows(TEAMS, FIRST)) as TeamColumns[];
    const { id, resource, linked } = team!;
    await state.putTeams([
      { id, resource, companions: linked ?? undefined, name: "RED", ...changes },
    ]);
  };

const recordIn = async (state: Transaction, id: string): Promise<ShardRecord> =>
  (await state.load([id]))[0]!;

/** A match without teams, as it was added. */
async function entryIn(state: Transaction, id: string, won: string[], lost: string[]) {
  const { match } = await recordIn(state, id);
  const players = [
    ...won.map((player) => ({ id: player, result: "won" as const })),
    ...lost.map((player) => ({ id: player, result: "lost" as const })),
  ];
  return { ...match, players, teams: [] } as MatchEntry;
}

const [BEA, IDA] = ["player-1", "player-4"];
// biome-ignore format: a table
const ROWS: Columns[] = [
  ["a player number of a match", change("match", { id: "match-04" }, ({ document }) => ({ document: withOtherPlayer(document) })), /^documents match-04/, "quick", "shown", "refused", 1],
  ["the document of a match", change("match", { id: "match-02" }, { document: zeros(100) }), /^documents match-02/, "quick", "shown", "refused", 1],
  ["a document without its match", remove("match", { id: "match-03" }), /^documents match-03/, "full", "shown", "refused", 1],
  ["the id of a match", change("match", { id: "match-03" }, { id: "match-zz" }), /^documents match-(03|zz)/, "quick", "shown", "refused", 2],
  ["the id of a listed match", change("listed match", { id: "match-03" }, { id: "match-zz" }), /^matches match-(03|zz)/, "full", "shown", "refused", 1],
  ["the time of a listed match", change("listed match", { id: "match-04" }, ({ createdAt }) => ({ createdAt: createdAt + 90_000 })), /^matches match-04/, "full", "shown", "refused", 0],
  ["the mode of a listed match", change("listed match", { id: "match-04" }, { mode: "ranked" }), /^matches match-04/, "full", "shown", "refused", 0],
  ["the patch of a listed match", change("listed match", { id: "match-02" }, { patch: "1.1" }), /^matches match-02/, "full", "shown", "refused", 0],
  ["a match in the list", remove("listed match", { id: "match-03" }), /^matches match-03/, "full", "shown", "other", 0],
  ["the players in a record", change("snapshot", { match: "match-03" }, { snapshot: zeros(100) }), /^records match-03/, "quick", "hidden", "refused", 1],
  ["a byte of a record that is not served", change("snapshot", { match: "match-03" }, ({ snapshot }) => ({ snapshot: inverted(snapshot, 8) })), /^records match-03/, "quick", "hidden", "refused", 1],
  ["a record", remove("snapshot", { match: "match-03" }), /^(records|matches) match-03/, "full", "hidden", "refused", 1],
  ["a withheld record", change("withheld", { match: "match-05" }, { reason: "ending", createdAt: 5 }), /^records match-05/, "quick", "hidden", "refused", 1],
  ["the players of a withheld record", change("withheld", { match: "match-05" }, { snapshot: zeros(100) }), /^records match-05/, "quick", "hidden", "refused", 1],
  ["the id of a player", change("player", { id: "player-1" }, { id: "player-zz" }), /^players player-/, "quick", "shown", "refused", 0],
  ["the number of a player", change("player", { id: "player-1" }, { number: 77 }), /^players player-1/, "quick", "shown", "refused", 0],
  ["the name of a player", change("player", { id: "player-3" }, { name: "Zed" }), /^players player-3/, "quick", "shown", "refused", 0],
  ["a name that another player has", change("player", { id: "player-4" }, { name: "Ada" }), /^players player-4/, "quick", "shown", "refused", 0],
  ["the latest match of players", change("player", {}, ({ lastMatchAt, number }) => ({ lastMatchAt: lastMatchAt - number })), /^players player-/, "quick", "shown", "refused", 0],
  ["the streak of a player", change("player", { id: "player-3" }, { streak: 7 }), /^players player-3/, "quick", "shown", "refused", 0],
  ["the totals of a player", change("player", { id: "player-2" }, ({ wins }) => ({ wins: wins + 1 })), /^players player-2/, "quick", "shown", "refused", 0],
  ["the gold of players", change("player", {}, { gold: "7" }), /^players player-/, "quick", "shown", "refused", 0],
  ["the ranked wins of a player", change("player", { id: "player-0" }, ({ rankedWins }) => ({ rankedWins: rankedWins + 1 })), /^players player-0/, "quick", "shown", "refused", 0],
  ["the skill tier of a player", change("player", { id: "player-0" }, { skillTier: 99 }), /^players player-0/, "quick", "shown", "refused", 0],
  ["the resource of a player", change("player", { id: "player-3" }, { resource: zeros(50) }), /^players player-3/, "quick", "shown", "refused", 0],
  ["linked resources of a player", change("player", { id: "player-3" }, { linked: zeros(50) }), /^players player-3/, "quick", "shown", "refused", 0],
  ["the checksum of a player", change("player", { id: "player-2" }, { checksum: 1 }), /^players player-2/, "quick", "shown", "refused", 0],
  ["missing players and teams", [...remove("player"), ...remove("team")], /^players player-/, "full", "shown", "other", 0],
  ["the id of a team", change("team", { id: "team-0" }, { id: "team-zz" }), /^teams team-/, "quick", "shown", "refused", 0],
  ["the name of a team", change("team", {}, { name: "ZED" }), /^teams team-/, "quick", "shown", "refused", 0],
  ["the resource of a team", change("team", { id: "team-0" }, { resource: zeros(50) }), /^teams team-0/, "quick", "shown", "refused", 0],
  ["the match of an index entry", change("player entry", { match: "match-04" }, { leadsTo: "match-03" }), /^player_matches match-0/, "full", "shown", "same", 0],
  ["the time of an index entry", change("player entry", { match: "match-04" }, ({ createdAt }) => ({ createdAt: createdAt + 7 })), /^player_matches match-04/, "full", "shown", "same", 0],
  ["the player of an index entry", change("player entry", { player: "player-0", match: "match-00" }, { player: "player-5" }), /^player_matches match-00/, "full", "shown", "same", 0],
  ["the results of index entries", change("player entry", {}, ({ result }) => ({ result: 1 - result })), /^player_matches match-/, "full", "hidden", "same", 0],
  ["entries of players and teams", [...remove("player entry", (_, at) => at % 3 === 0), ...remove("team entry")], /^player_matches match-/, "full", "shown", "same", 0],
  ["an entry of a player", remove("player entry", { match: "match-01", player: "player-1" }), /^player_matches match-01/, "full", "shown", "same", 0],
  ["an entry of a team", remove("team entry", { match: "match-02" }), /^team_matches match-02/, "full", "shown", "same", 0],
  ["the team of an index entry", change("team entry", {}, ({ team }) => ({ team: team === "team-0" ? "team-2" : "team-0" })), /^team_matches match-/, "full", "shown", "same", 0],
  ["who takes part for a team", change("team entry", {}, ({ takesPart }) => ({ takesPart: takesPart ? 0 : 1 })), /^team_matches match-/, "full", "shown", "same", 0],
  ["the totals of the shard", change("shard", "first", { matches: 7 }), /^shard /, "quick", "shown", "same", 0],
  ["the row of the shard", remove("shard"), /^shard /, "full", "shown", "same", 0],
  ["a change for caches and callers", change("commit", {}, { players: zeros(3) }), /^changes /, "quick", "hidden", "same", 0],
  ["words of the vocabulary", change("word", "first", { word: "path:zed" }), /^vocabulary /, "full", "hidden", "same", 0],
  ["evidence, dependents and words", [...remove("evidence"), ...remove("dependent"), ...remove("word")], /^(ranked_evidence|dependents|vocabulary) /, "full", "hidden", "same", 0],
];

/** Each row is whole, but not as the records say: what a mistake in the code could store. */
// biome-ignore format: a table
const UNLIKE_RECORDS: Unlike[] = [
  ["totals of a player that the records do not give", put(ADA, ({ totals }) => ({ totals: { ...totals, wins: totals.wins + 1 } })), /^players player-0/],
  ["gold of a player that the records do not give", put(ADA, ({ totals }) => ({ totals: { ...totals, gold: totals.gold + 1n } })), /^players player-0/],
  ["ranked wins that the records do not give", put(ADA, ({ totals }) => ({ totals: { ...totals, rankedWins: 22 } })), /^players player-0/],
  ["a streak that the records do not give", put(BEA, () => ({ run: 7 })), /^players player-1/],
  ["another latest match of a player", put(BEA, () => ({ latest: { createdAt: Date.UTC(2026, 0, 1), matchId: "match-00" } })), /^players player-1/],
  ["another name of a player", put(BEA, () => ({ name: "Zed" })), /^players player-1/],
  ["the resource of another player", put(BEA, async (_, state) => ({ resource: (await playerIn(state, ADA)).resource })), /^players player-1/],
  ["resources that a player does not link to", put(BEA, ({ resource }) => ({ companions: resource })), /^players player-1/],
  ["a player without matches", put(ADA, () => ({ id: "ghost" })), /^players ghost/],
  ["another name of a team", putTeam({ name: "BLUE" }), /^teams team-0/],
  ["a team without matches", putTeam({ id: "ghosts" }), /^teams ghosts/],
  ["a match with another result", async (state) => {
    const entry = await entryIn(state, "match-01", [IDA], [BEA, "player-2"]);
    const turned = entry.players.map(({ id, result }) => ({ id, result: result === "won" ? "lost" : "won" }) as const);
    await state.removeServed([entry]);
    await state.addServed([{ ...entry, players: turned }]);
  }, /^documents match-01/],
  ["a served match that is withheld", async (state) => {
    const { players: _, teams: __, ...match } = await entryIn(state, "match-03", [ADA], ["player-3", IDA]);
    await state.removeServed([{ ...match, players: _, teams: __ }]);
    await state.addWithheld([{ ...match, reason: "ending" }]);
  }, /^records match-03/],
  ["a withheld match that is served", async (state) => {
    const entry = await entryIn(state, "match-05", ["player-2"], ["player-5", ADA]);
    await state.removeWithheld(["match-05"]);
    await state.addServed([entry]);
  }, /^matches match-05/],
  ["a withheld match with another reason", async (state) => {
    const { match } = await recordIn(state, "match-13");
    await state.removeWithheld(["match-13"]);
    await state.addWithheld([{ ...match, reason: "ending" }]);
  }, /^records match-13/],
  ["evidence that a player is ranked, counted twice", (state) => state.changeRankedEvidence(new Map([[ADA, 1]])), /^ranked_evidence player-0/],
  ["evidence without a record", (state) => state.changeRankedEvidence(new Map([["zoe", 1]])), /^ranked_evidence zoe/],
  ["a missing dependent", (state) => state.removeDependents([["new-1", "match-13"]]), /^dependents new-1 match-13/],
  ["a dependent too many", (state) => state.addDependents([[ADA, "match-00"]]), /^dependents player-0 match-00/],
  ["a word counted twice", (state) => state.changeVocabulary(new Map([["type:asset", 1]])), /^vocabulary type:asset/],
  ["a word without records", (state) => state.changeVocabulary(new Map([["path:medals", 1]])), /^vocabulary path:medals/],
];

export const DAMAGES: readonly DamageRow[] = [
  ...[...ROWS, ...FEATURES.flatMap(({ rows }) => rows)].map(
    ([what, damage, found, quick, shown, digest, lost]) => ({
      ...{ what, damage, found, lost, isQuick: quick === "quick" },
      seen: { isShown: shown === "shown", digest },
    }),
  ),
  ...[...UNLIKE_RECORDS, ...FEATURES.flatMap(({ unlike = [] }) => unlike)].map(
    ([what, damage, found]) => ({
      ...{ what, damage, found, lost: 0, isQuick: false },
    }),
  ),
];

/** In `npm test`, PostgreSQL has these rows, and these are repaired: the rest is the same code in both stores. */
export const EVERYWHERE: ReadonlySet<string> = new Set([
  ...["a player number of a match", "a match in the list", "the id of a player", "a record"],
  ...["the player of an index entry", "the results of index entries", "the totals of the shard"],
  ...FEATURES.flatMap(({ everywhere }) => everywhere),
  ...["gold of a player that the records do not give", "a served match that is withheld"],
]);
