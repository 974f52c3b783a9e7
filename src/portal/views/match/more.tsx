/** All other data of a match, including unknown stats. */

import { isolated } from "../../../text/isolated.ts";
import type { Pair } from "../../format.ts";
import { Name } from "../../kit/name.tsx";
import { Pairs } from "../../kit/pairs.tsx";
import { Table } from "../../kit/table.tsx";
import { extraLists, extraStats, otherValues } from "./extras.ts";
import type { MatchRecord } from "./record.ts";
import { Relations } from "./relations.tsx";
import type { Line, Scoreboard, Side } from "./scoreboard.ts";

/** Attributes shown elsewhere on the page. */
const SHOWN = ["createdAt", "duration", "gameMode", "patchVersion", "shardId", "stats"];

/** Telemetry and other resources that the match links to. */
export function LinkedData({ match: { relations = [] } }: { match: MatchRecord }) {
  if (relations.length === 0) return null;
  return (
    <section aria-labelledby="linked">
      <header className="section-head match-section">
        <h2 id="linked">Linked data</h2>
      </header>
      <Relations relations={relations} />
    </section>
  );
}

export function MoreStats({ match, board }: { match: MatchRecord; board: Scoreboard }) {
  const lines = board.sides.flatMap((side) => side.lines);
  const { attributes = {} } = match;
  const stats = extraStats(lines);
  return (
    <details className="frame fold match-fold">
      <summary>All stats</summary>
      <div className="stack match-fold-inside">
        <Facts
          title="Match"
          facts={[...otherValues(match.stats), ...otherValues(attributes, SHOWN)]}
        />
        {board.sides.map((side) => (
          <Facts key={side.id} title={side.name} facts={sideFacts(side, match)} />
        ))}
        {stats.length > 0 && (
          <Table
            caption="Players"
            isCaptionVisible
            columns={[
              { head: "Stat", cell: (row) => row.name, isHead: true },
              ...lines.map((line, at) => ({
                head: <Head line={line} />,
                cell: (row: (typeof stats)[number]) => row.texts[at],
                isNumber: true,
              })),
            ]}
            rows={stats}
            keyOf={({ key }) => key}
          />
        )}
        {lines.map((line) => (
          <Facts key={line.id} title={titleOf(line)} facts={lineFacts(line, match)} areLong />
        ))}
      </div>
    </details>
  );
}

function sideFacts(side: Side, { rosters }: MatchRecord): Pair[] {
  const { attributes = {} } = rosters.find(({ id }) => id === side.id) ?? {};
  return [...otherValues(side.stats), ...otherValues(attributes, ["won", "stats", "shardId"])];
}

function lineFacts(line: Line, { rosters }: MatchRecord): Pair[] {
  const participants = rosters.flatMap(({ participants }) => participants);
  const { attributes = {} } = participants.find(({ id }) => id === line.id) ?? {};
  const lists = extraLists(line);
  const areListed = line.items.length === 0 || lists.some(({ key }) => key === "items");
  return [
    // By name, since the tiles show them only on hover.
    ...(areListed ? [] : [{ key: "items", name: "Items", text: line.items.join(", ") }]),
    ...lists,
    ...otherValues(attributes, ["actor", "stats", "shardId"]),
  ];
}

interface FactsProps {
  title: string;
  facts: readonly Pair[];
  /** One value per line. */
  areLong?: boolean;
}

function Facts({ title, facts, areLong = false }: FactsProps) {
  if (facts.length === 0) return null;
  return (
    <section className="match-facts-of">
      <h3>{title}</h3>
      <Pairs
        pairs={facts}
        className={areLong ? "facts stack match-long-pairs" : "facts match-pairs"}
      />
    </section>
  );
}

function Head({ line }: { line: Line }) {
  return (
    <>
      {line.hero}
      {line.player && <Name className="cut match-head-player">{line.player.name}</Name>}
    </>
  );
}

const titleOf = ({ hero, player }: Line): string =>
  player ? `${hero} · ${isolated(player.name)}` : hero;
