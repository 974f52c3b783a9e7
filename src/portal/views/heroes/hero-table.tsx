/** The table of heroes. Its column headings sort it. */

import type { ReactNode } from "react";
import type { ActorSort, ActorSummary } from "../../../domain/actors.ts";
import { count } from "../../format.ts";
import { Name } from "../../kit/name.tsx";
import { ScrollTable } from "../../kit/scroll-table.tsx";
import { HeroTile } from "../../kit/tile.tsx";
import { columnOf, type Filters, nextSort } from "./filters.ts";
import { type HeroRow, percent, type Scale, scaleOf } from "./table.ts";

interface Column {
  name: keyof ActorSummary;
  head: string;
  /** What the column means, if the heading does not say it. */
  about?: string;
  cell(row: HeroRow, scale: Scale): ReactNode;
}

const COLUMNS: readonly Column[] = [
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
    cell: ({ pickRate }, scale) => <PickRate value={pickRate} scale={scale.pickRate} />,
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
  sort: ActorSort;
  show(changes: Partial<Filters>): void;
}

export function HeroTable({ rows, sort, show }: Props) {
  const scale = scaleOf(rows);
  const heading = ({ name, head, about }: Omit<Column, "cell">) => (
    <Heading
      key={name}
      name={name}
      about={about}
      sort={sort}
      onSort={() => show({ sort: nextSort(sort, name) })}
    >
      {head}
    </Heading>
  );
  return (
    <ScrollTable label="Heroes">
      <table className="table heroes-table">
        <caption className="visually-hidden">
          Heroes: averages per participation. The column headings sort the table.
        </caption>
        <thead>
          <tr>
            {heading({ name: "actor", head: "Hero" })}
            {COLUMNS.map(heading)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.actor}>
              <th scope="row">
                <span className="heroes-hero">
                  <HeroTile actor={row.actor} size={36} isDecorative />
                  <Name className="cut heroes-name">{row.hero}</Name>
                </span>
              </th>
              {COLUMNS.map(({ name, cell }) => (
                <td
                  key={name}
                  className={`number${columnOf(sort) === name ? " heroes-sorted" : ""}`}
                >
                  {cell(row, scale)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollTable>
  );
}

interface HeadingProps {
  name: keyof ActorSummary;
  about: string | undefined;
  sort: ActorSort;
  onSort(): void;
  children: string;
}

function Heading({ name, about, sort, onSort, children }: HeadingProps) {
  const isSorted = columnOf(sort) === name;
  const direction = sort.startsWith("-") ? "descending" : "ascending";
  return (
    <th
      scope="col"
      className={name === "actor" ? "" : "number"}
      {...(isSorted && { "aria-sort": direction })}
    >
      <button type="button" className="heroes-sort" title={about} onClick={onSort}>
        {children}
        <span className="heroes-arrow" aria-hidden="true">
          {isSorted ? (direction === "descending" ? "↓" : "↑") : ""}
        </span>
      </button>
    </th>
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

function PickRate({ value, scale }: { value: number; scale: number }) {
  return (
    <span className="heroes-rate heroes-rate-picked">
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${(value / scale) * 100}%` }} />
      </span>
      <span>{percent(value)}</span>
    </span>
  );
}
