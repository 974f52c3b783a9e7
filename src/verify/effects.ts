/** What damage that a store's check finds means to an operator. */

/** By table: what is wrong with a record of it, and what that affects. */
const EFFECTS: Readonly<Record<string, (record: string | number) => string>> = {
  file: (error) => `the file is damaged (${error}): requests that need the damaged pages fail`,
  sqlite_schema: (error) => `the table definitions are damaged (${error}): requests fail`,
  shard: (record) =>
    `the row with the totals of the shard is wrong (${record}): the status is wrong, or the shard unavailable`,
  matches: (id) =>
    `match ${id} is damaged, or an index does not lead to it: it is not served, or missing from lists`,
  match_documents: (id) =>
    `match ${id} is damaged: it is not served, nor the pages that contain it`,
  match_snapshots: (id) =>
    `the players and teams of match ${id} are damaged: they cannot be rebuilt, moved or exported`,
  withheld: (id) => `withheld match ${id} is damaged: it cannot be released, moved or exported`,
  players: (id) =>
    `player ${id} is damaged, or an index does not lead to the player: not served, nor the matches of the player`,
  teams: (id) =>
    `team ${id} is damaged, or an index does not lead to the team: not served, nor the matches of the team`,
  player_recent: (id) =>
    `the recent ranked matches of player ${id} are damaged, or an index does not lead to them: leaderboards of the last 28 days are not served`,
  player_matches: (id) =>
    `match ${id} is missing from the list of one of its players, or is there with a wrong result`,
  team_matches: (id) =>
    `match ${id} is missing from the list of one of its teams, or is there by mistake`,
  name_index: (id) =>
    `the name index is wrong (${id}): similar names are not suggested, or a name that nobody has`,
  actor_stats: (what) =>
    `the statistics of ${what} are damaged, or an index does not lead to them: /actors fails, or they are missing there`,
  changes: (sequence) =>
    `change ${sequence} is damaged: caches of servers may serve outdated players`,
};

/** What is found without a record. */
const WHOLE_TABLE: Readonly<Record<string, (table: string) => string>> = {
  "number of entries": (table) =>
    `${table} has more or fewer entries than the records: lists lack a record, or have one too many`,
  order: (table) => `${table} is not in order: lists lack records`,
};

export const effectOf = (table: string, record: string | number): string =>
  WHOLE_TABLE[record]?.(table) ?? EFFECTS[table]?.(record) ?? `${table}: ${record} is wrong`;
