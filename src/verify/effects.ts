/** What damage means to an operator. */

/** By table: what is wrong with a row of it, and what that affects. */
const EFFECTS: Readonly<Record<string, (record: string) => string>> = {
  file: (error) => `the store cannot read everything, or an index is wrong (${error})`,
  shard: (record) => `the row of the shard itself is wrong (${record}): its totals are not right`,
  records: (id) => `the record of match ${id} is damaged: it cannot be rebuilt, moved or exported`,
  documents: (id) => `match ${id} is damaged: it is not served, nor the pages that contain it`,
  matches: (id) => `match ${id} is missing from the list of served matches, or there by mistake`,
  player_matches: (id) => `match ${id} is missing from the list of a player, or wrong there`,
  team_matches: (id) => `match ${id} is missing from the list of a team, or wrong there`,
  players: (id) => `player ${id} is wrong: not served, nor the matches of the player`,
  teams: (id) => `team ${id} is wrong: not served, nor the matches of the team`,
  player_recent: (id) => `player ${id} is wrong in the leaderboards of the last 28 days`,
  ranked_evidence: (id) =>
    `player ${id} is counted as ranked by a wrong number of records: private matches may be served or withheld by mistake`,
  dependents: (pair) =>
    `${pair} is a wrong link: a private match may be served or withheld by mistake`,
  vocabulary: (word) =>
    `${word} is counted wrong: include or fields may be refused, or accepted in vain`,
  name_index: (name) =>
    `the name index is wrong (${name}): names are not found, or nobody has them`,
  hero_stats: (what) => `the statistics of ${what} are wrong`,
  changes: (sequence) => `change ${sequence} is damaged: caches may be outdated, callers miss it`,
};

export const effectOf = (table: string, record: string): string =>
  EFFECTS[table]?.(record) ?? `row ${record} is wrong`;
