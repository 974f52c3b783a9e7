/** All other data of a match, including unknown stats. */

import type { Pair } from "../../format.ts";
import { Pairs } from "../../kit/pairs.tsx";
import { Table } from "../../kit/table.tsx";
import type { Match, Member, Side } from "../../match.ts";
import { itemName } from "../../names.ts";
import { extraLists, extraStats, otherValues } from "./extras.ts";
import { Relations } from "./relations.tsx";

/** Attributes shown elsewhere on the page. */
const SHOWN = ["createdAt", "duration", "gameMode", "patchVersion", "shardId", "stats"];

/** Telemetry and other resources that the match links to. */
export function LinkedData({ match: { relations } }: { match: Match }) {
  if (relations.length === 0) return null;
  return (
    <section className="match-more" aria-labelledby="linked">
      <header className="match-section-head">
        <h2 id="linked">Linked data</h2>
      </header>
      <Relations relations={relations} />
    </section>
  );
}

export function MoreStats({ match }: { match: Match }) {
  const members = match.sides.flatMap((side) => side.members);
  const stats = extraStats(members);
  return (
    <details className="match-fold">
      <summary>All stats</summary>
      <div className="match-fold-inside">
        <Facts
          title="Match"
          facts={[...otherValues(match.stats), ...otherValues(match.attributes, SHOWN)]}
        />
        {match.sides.map((side) => (
          <Facts key={side.id} title={side.name} facts={sideFacts(side)} />
        ))}
        {stats.length > 0 && (
          <Table
            caption="Players"
            isCaptionVisible
            columns={[
              { head: "Stat", cell: (row) => row.name, isHead: true },
              ...members.map((member, at) => ({
                head: <Head member={member} />,
                cell: (row: (typeof stats)[number]) => row.texts[at],
                isNumber: true,
              })),
            ]}
            rows={stats}
            keyOf={({ key }) => key}
          />
        )}
        {members.map((member) => (
          <Facts key={member.id} title={titleOf(member)} facts={memberFacts(member)} areLong />
        ))}
      </div>
    </details>
  );
}

const sideFacts = ({ stats, attributes }: Side): Pair[] => [
  ...otherValues(stats),
  ...otherValues(attributes, ["won", "stats", "shardId"]),
];

function memberFacts(member: Member): Pair[] {
  const { items, attributes } = member;
  const lists = extraLists(member);
  const areListed = items.length === 0 || lists.some(({ key }) => key === "items");
  return [
    // By name, since the tiles show them only on hover.
    ...(areListed ? [] : [{ key: "items", name: "Items", text: items.map(itemName).join(", ") }]),
    ...lists,
    ...otherValues(attributes, ["actor", "stats", "shardId"]),
  ];
}

interface FactsProps {
  title: string;
  facts: readonly Pair[];
  /** One value per member. */
  areLong?: boolean;
}

function Facts({ title, facts, areLong = false }: FactsProps) {
  if (facts.length === 0) return null;
  return (
    <section className="match-facts-of">
      <h3>{title}</h3>
      <Pairs pairs={facts} className={areLong ? "match-long-pairs" : "match-pairs"} />
    </section>
  );
}

function Head({ member }: { member: Member }) {
  return (
    <>
      {member.hero}
      {member.player && <span className="match-head-player">{member.player.name}</span>}
    </>
  );
}

const titleOf = ({ hero, player }: Member): string => (player ? `${hero} · ${player.name}` : hero);
