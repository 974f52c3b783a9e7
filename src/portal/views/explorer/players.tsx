/** A table of players. */

import { compact, count, numberIn, share, textIn } from "../../format.ts";
import { Streak } from "../../kit/form.tsx";
import { Name } from "../../kit/name.tsx";
import { type Column, numbers, Table } from "../../kit/table.tsx";
import { Link } from "../../router.ts";
import { streakIn } from "../player/form.ts";
import type { Resource } from "./response.ts";

export function Players({ players, shard }: { players: readonly Resource[]; shard: string }) {
  const stat = (head: string, key: string, written = count) =>
    numbers<Resource>(head, ({ stats }) => written(numberIn(stats, key)));
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
    numbers("Win rate", ({ stats }) => share(numberIn(stats, "wins"), numberIn(stats, "played"))),
    stat("Ranked", "played_ranked"),
    numbers("Streak", ({ stats }) => <Streak run={streakIn(stats)} />),
    stat("Gold", "lifetimeGold", compact),
    { head: "Patch", cell: ({ attributes }) => textIn(attributes, "patchVersion") ?? "–" },
  ];
  return <Table caption="Players" columns={columns} rows={players} keyOf={({ id }) => id} />;
}
