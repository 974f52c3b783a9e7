/** What each leaderboard ranks players by, in words, and its URL in the API. */

import { MIN_RATED_MATCHES } from "../../../domain/rank.ts";
import {
  BOARDS,
  type Board,
  type Period,
  RECENT_BOARDS,
} from "../../../features/leaderboards/ranking.ts";
import { count, counted } from "../../format.ts";

export { BOARDS, type Board, type Period };

interface Words {
  name: string;
  /** The column of the values. */
  value: string;
  /** One sentence: what counts. */
  about: string;
  /** Why a player may be missing. */
  listed: string;
}

export const WORDS: Readonly<Record<Board, Words>> = {
  "skill-tier": {
    name: "Skill tier",
    value: "Tier",
    about: "The skill tier of each player in their latest match.",
    listed: "Only players whose latest match has a skill tier are listed.",
  },
  "ranked-wins": {
    name: "Ranked wins",
    value: "Wins",
    about: "Ranked matches won.",
    listed: "Only players with at least one ranked win are listed.",
  },
  "win-rate": {
    name: "Win rate",
    value: "Win rate",
    about: `The share of ranked matches won, for players with at least ${MIN_RATED_MATCHES} of them.`,
    listed: `Only players with at least ${MIN_RATED_MATCHES} ranked matches are listed.`,
  },
  "win-streak": {
    name: "Win streak",
    value: "Streak",
    about: "Matches won in a row, up to the latest one.",
    listed: "Only players who won their latest match are listed.",
  },
};

export const isBoard = (name: string): name is Board =>
  (BOARDS as readonly string[]).includes(name);

export const hasPeriods = (board: Board): boolean =>
  (RECENT_BOARDS as readonly Board[]).includes(board);

/** Values that are not valid count as absent. */
export function periodOf(board: Board, search: URLSearchParams): Period {
  return hasPeriods(board) && search.get("period") === "28d" ? "28d" : "all";
}

/** The query of the page's URL. A board without periods keeps none. */
export function searchOf(board: Board, period: Period, player?: string): URLSearchParams {
  const search = new URLSearchParams();
  if (period === "28d" && hasPeriods(board)) search.set("period", period);
  if (player) search.set("player", player);
  return search;
}

/** The value of an entry as text. */
export function valueText(board: Board, value: number): string {
  if (board === "win-rate") return `${(value * 100).toFixed(1)}%`;
  if (board === "win-streak") return counted(value, "win");
  if (board === "skill-tier") return `Tier ${count(value)}`;
  return count(value);
}
