// Prints what a client read: each match with the players that its links lead to, and the players by name.

const named = ({ id, name }) => ({ id, name });
const whole = ({ id, createdAt, rosters }) => ({
  id,
  createdAt,
  players: rosters
    .flatMap(({ participants }) => participants)
    .map(({ player }) => (player ? player.name : null)),
});

/** Takes linked objects as most of these libraries give them: attributes and relationships as members. */
export function report({ page, match, players, player }) {
  console.log(
    JSON.stringify({
      page: page.map(whole),
      match: whole(match),
      players: players.map(named),
      player: named(player),
    }),
  );
}
