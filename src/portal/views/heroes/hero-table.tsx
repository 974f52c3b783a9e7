/** The table of heroes. Its column headings sort it. */

import type { ReactNode } from "react";
import type { HeroSort, HeroSummary } from "../../../features/heroes/statistics.ts";
import { count } from "../../format.ts";
import { Bar } from "../../kit/bar.tsx";
import { Name } from "../../kit/name.tsx";
import { Table } from "../../kit/table.tsx";
import { HeroTile } from "../../kit/tile.tsx";
import { columnOf, type Filters, nextSort } from "./filters.ts";
import { type HeroRow, percent, type Scale, scaleOf } from "./table.ts";

interface Column {
  name: keyof HeroSummary;
  head: string;
  /** What the column means, if the heading does not say it. */
  about?: string;
  cell(row: HeroRow, scale: Scale): ReactNode;
}

const COLUMNS: readonly Column[] = [
  {
    name: "hero",
    head: "Hero",
    cell: ({ hero, name }) => (
      <span className="heroes-hero">
        <HeroTile actor={hero} size={36} isDecorative />
        <Name className="cut heroes-name">{name}</Name>
      </span>
    ),
  },
  {
    name: "winRate",
    head: "Win rate",
    about: "The bars show how far it is from 50%",
    cell: ({ winRate }, scale) => <WinRate value={winRate} scale={scale.winRate} />,
  },
  {
    name: "pickRate",
    head: "Pick rate",
    about: "How often the hero was played, per match",
    cell: ({ pickRate }, scale) => (
      <span className="heroes-rate heroes-rate-picked">
        <Bar value={pickRate} of={scale.pickRate} />
        <span>{percent(pickRate)}</span>
      </span>
    ),
  },
  { name: "matches", head: "Played", cell: ({ matches }) => count(matches) },
  { name: "kills", head: "Kills", about: "Average", cell: ({ kills }) => kills.toFixed(1) },
  { name: "deaths", head: "Deaths", about: "Average", cell: ({ deaths }) => deaths.toFixed(1) },
  { name: "assists", head: "Assists", about: "Average", cell: ({ assists }) => assists.toFixed(1) },
  { name: "gold", head: "Gold", about: "Average", cell: ({ gold }) => count(gold) },
  { name: "farm", head: "Farm", about: "Average", cell: ({ farm }) => farm.toFixed(1) },
];

interface Props {
  /** In the order of `sort`. */
  rows: readonly HeroRow[];
  sort: HeroSort;
  show(changes: Partial<Filters>): void;
}

export function HeroTable({ rows, sort, show }: Props) {
  const scale = scaleOf(rows);
  const direction = sort.startsWith("-") ? "descending" : "ascending";
  const columns = COLUMNS.map(({ name, head, about, cell }) => {
    const isSorted = columnOf(sort) === name;
    return {
      head: (
        <button
          type="button"
          className="heroes-sort"
          title={about}
          onClick={() => show({ sort: nextSort(sort, name) })}
        >
          {head}
          <span className="heroes-arrow" aria-hidden="true">
            {isSorted && (direction === "descending" ? "↓" : "↑")}
          </span>
        </button>
      ),
      cell: (row: HeroRow) =>
        isSorted ? <span className="heroes-sorted">{cell(row, scale)}</span> : cell(row, scale),
      isHead: name === "hero",
      isNumber: name !== "hero",
      sorted: isSorted ? direction : undefined,
    } as const;
  });
  return (
    <Table
      className="heroes-table"
      label="Heroes"
      caption="Heroes: averages per participation. The column headings sort the table."
      columns={columns}
      rows={rows}
      keyOf={({ hero }) => hero}
    />
  );
}

/** A bar from the middle: to the right for more than half, to the left for less. */
function WinRate({ value, scale }: { value: number; scale: number }) {
  const isWon = value >= 0.5;
  const width = (Math.abs(value - 0.5) / scale) * 50;
  return (
    <span className="heroes-rate">
      <span className="bar heroes-track-half" aria-hidden="true">
        <span className={`heroes-fill-${isWon ? "won" : "lost"}`} style={{ width: `${width}%` }} />
      </span>
      <span>{percent(value)}</span>
    </span>
  );
}
