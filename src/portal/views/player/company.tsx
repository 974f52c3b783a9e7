/** With whom and against whom a player played most. */

import type { Company } from "../../../../client/src/index.ts";
import { PRIVATE_MODE } from "../../../domain/modes.ts";
import { counted } from "../../format.ts";
import type { Load } from "../../kit/load.ts";
import { Name } from "../../kit/name.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Problem } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { modeName, playerName } from "../../names.ts";
import { Link } from "../../router.ts";
import { WinRate } from "./tallies.tsx";

const FIRST = 5;

interface Props {
  load: Load<readonly Company[]>;
  shard: string;
}

export function PlayedWith({ load, shard }: Props) {
  return (
    <section id="company" className="card stack player-card" aria-labelledby="company-title">
      <div className="section-head">
        <h2 id="company-title">Played with and against</h2>
        <p className="note">Last 28 days, without the mode {modeName(PRIVATE_MODE)}</p>
      </div>
      {load.state === "failed" ? (
        <Problem error={load.error} retry={load.retry} />
      ) : load.value === undefined ? (
        <Skeleton label="Loading other players" shape="rows" count={2 * FIRST} height={24} />
      ) : (
        <>
          <Others title="With" how="with" others={load.value} shard={shard} />
          <Others title="Against" how="against" others={load.value} shard={shard} />
        </>
      )}
    </section>
  );
}

interface OthersProps {
  title: string;
  how: "with" | "against";
  others: readonly Company[];
  shard: string;
}

function Others({ title, how, others, shard }: OthersProps) {
  const most = others
    .filter((one) => one[how].matches > 0)
    .sort((one, other) => other[how].matches - one[how].matches)
    .slice(0, FIRST);
  return (
    <>
      <h3>{title}</h3>
      {most.length === 0 ? (
        <p className="note">Nobody in this period.</p>
      ) : (
        <table className="player-tallies">
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Player</th>
              <th scope="col">Matches</th>
              <th scope="col">Win rate</th>
            </tr>
          </thead>
          <tbody>
            {most.map((one) => {
              const { matches, wins } = one[how];
              const name = playerName(one.name);
              return (
                <tr key={one.id}>
                  <th scope="row">
                    <Link
                      className="player-tally-name link-plain"
                      to={{ name: "player", shard, id: one.id }}
                    >
                      <Avatar id={one.id} name={name} size={28} />
                      <Name className="cut">{name}</Name>
                    </Link>
                  </th>
                  <td>{counted(matches, "match", "matches")}</td>
                  <td title={`${wins} won of ${matches}`}>
                    <WinRate rate={wins / matches} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </>
  );
}
