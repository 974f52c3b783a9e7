/** In charge of how many matches, players and teams are served: changed with them, never counted. */

import type { Summary } from "../store.ts";
import type { Statements } from "./statements.ts";

type Tallied = "matches" | "players" | "teams";

/** What a transaction adds and takes away: gathered, and written down once, at its end. */
export class Tallies {
  readonly #statements: Statements;
  readonly #changes: Record<Tallied, number> = { matches: 0, players: 0, teams: 0 };

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  change(what: Tallied, by: number): void {
    this.#changes[what] += by;
  }

  /** To be called before the commit. */
  write(): void {
    const { matches, players, teams } = this.#changes;
    if (matches === 0 && players === 0 && teams === 0) return;
    this.#statements.run(
      "UPDATE tallies SET matches = matches + ?, players = players + ?, teams = teams + ?",
      matches,
      players,
      teams,
    );
    this.forget();
  }

  /** After what was written here was undone. */
  forget(): void {
    this.#changes.matches = 0;
    this.#changes.players = 0;
    this.#changes.teams = 0;
  }
}

/** What is served, as of the last commit. */
export function readTallies(statements: Statements): Summary & { teams: number } {
  const row = statements.row<{
    matches: number;
    players: number;
    teams: number;
    newest: number | null;
    bytes: number;
  }>(
    `SELECT matches, players, teams, (SELECT max(created_at) FROM matches) AS newest,
       page_count * page_size AS bytes FROM tallies, pragma_page_count, pragma_page_size`,
  )!;
  const { newest, ...numbers } = row;
  return { ...numbers, newestMatch: newest ?? undefined };
}
