/** The visitor's favourite and recent players, below the search. */

import { type KnownPlayer, useFavourites, useRecentPlayers } from "../../favourites.ts";
import { Name } from "../../kit/name.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { playerName } from "../../names.ts";
import { Link } from "../../router.ts";

const SHOWN = 8;

export function KnownPlayers() {
  const favourites = useFavourites().players;
  const recent = useRecentPlayers().players;
  if (favourites.length + recent.length === 0) return null;
  return (
    <div className="stack start-known">
      <Group label="Favourites" players={favourites.slice(0, SHOWN)} />
      <Group label="Recent" players={recent.slice(0, SHOWN)} />
    </div>
  );
}

function Group({ label, players }: { label: string; players: readonly KnownPlayer[] }) {
  if (players.length === 0) return null;
  return (
    <section className="start-group" aria-label={`${label} players`}>
      <h2 className="note">{label}</h2>
      <ul className="row">
        {players.map(({ shard, id, name }) => (
          <li key={`${shard} ${id}`}>
            <Link className="frame start-chip" to={{ name: "player", shard, id }}>
              <Avatar id={id} name={playerName(name)} size={22} />
              <Name className="cut">{playerName(name)}</Name>
              <span className="note">{shard.toUpperCase()}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
