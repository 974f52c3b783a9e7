/** A table of players. */

import { compact, count, counted, numberIn, share, textIn } from "../../format.ts";
import { Name } from "../../kit/name.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Link } from "../../router.ts";
import type { Resource } from "./response.ts";

export function Players({ players, shard }: { players: readonly Resource[]; shard: string }) {
  const stat = (head: string, key: string, written = count): Column<Resource> => ({
    head,
    cell: ({ stats }) => written(numberIn(stats, key)),
    isNumber: true,
  });
  const columns: Column<Resource>[] = [
    {
      head: "Player",
      cell: ({ id, attributes }) => (
        <>
          <Link className="cut target explorer-name-link" to={{ name: "player", shard, id }}>
            <Name>{textIn(attributes, "name") ?? id}</Name>
          </Link>
          <code className="note cut explorer-id">{id}</code>
        </>
      ),
      isHead: true,
    },
    stat("Matches", "played"),
    {
      head: "Win rate",
      cell: ({ stats }) => share(numberIn(stats, "wins"), numberIn(stats, "played")),
      isNumber: true,
    },
    stat("Ranked", "played_ranked"),
    { head: "Streak", cell: ({ stats }) => <Streak stats={stats} />, isNumber: true },
    stat("Gold", "lifetimeGold", compact),
    { head: "Patch", cell: ({ attributes }) => textIn(attributes, "patchVersion") ?? "–" },
  ];
  return <Table caption="Players" columns={columns} rows={players} keyOf={({ id }) => id} />;
}

function Streak({ stats }: { stats: Resource["stats"] }) {
  const wins = numberIn(stats, "winStreak") ?? 0;
  const losses = numberIn(stats, "lossStreak") ?? 0;
  if (wins > 0) return <span className="won">{counted(wins, "win")}</span>;
  if (losses > 0) return <span className="lost">{counted(losses, "loss", "losses")}</span>;
  return "–";
}
