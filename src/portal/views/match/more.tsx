/** All other data of a match, including unknown stats. */

import { isolated } from "../../../text/isolated.ts";
import { type Pair, textIn } from "../../format.ts";
import { Name } from "../../kit/name.tsx";
import { Pairs } from "../../kit/pairs.tsx";
import { Table } from "../../kit/table.tsx";
import type { Match, Member, Readable, Side } from "../../match.ts";
import { itemName, statName } from "../../names.ts";
import { extraLists, extraStats, otherValues } from "./extras.ts";

/** Attributes shown elsewhere on the page. */
const SHOWN = ["createdAt", "duration", "gameMode", "patchVersion", "shardId", "stats"];

/** Telemetry and other resources that the match links to. */
export function LinkedData({ match: { relations } }: { match: Match }) {
  if (relations.length === 0) return null;
  return (
    <section aria-labelledby="linked">
      <header className="section-head match-section">
        <h2 id="linked">Linked data</h2>
      </header>
      <dl className="facts match-linked">
        {relations.map(({ name, resources }) => (
          <div key={name} className="card">
            <dt>{statName(name)}</dt>
            {resources.map((one) => (
              <dd key={`${one.type} ${one.id}`}>
                <Resource resource={one} />
              </dd>
            ))}
            {resources.length === 0 && <dd className="soft">None</dd>}
          </div>
        ))}
      </dl>
    </section>
  );
}

function Resource({ resource: { type, id, attributes } }: { resource: Readable }) {
  const url = textIn(attributes, "URL") ?? textIn(attributes, "url");
  const facts = otherValues(attributes, ["URL", "url", "shardId", "name"]).filter(
    ({ key }) => attributes[key] !== "" && attributes[key] !== null,
  );
  return (
    <>
      <span className="match-resource-name">{textIn(attributes, "name") ?? `${type} ${id}`}</span>
      {url && <ResourceUrl url={url} />}
      {facts.length > 0 && (
        <span className="match-resource small soft">
          {facts.map(({ name, text }) => `${name}: ${text}`).join(" · ")}
        </span>
      )}
    </>
  );
}

/** Records may contain any text here; only http and https URLs become links. */
function ResourceUrl({ url }: { url: string }) {
  if (!isWebUrl(url)) return <span className="match-resource small">{url}</span>;
  return (
    <a className="match-resource small" href={url} rel="noopener noreferrer" target="_blank">
      {url}
    </a>
  );
}

const isWebUrl = (url: string): boolean =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

export function MoreStats({ match }: { match: Match }) {
  const members = match.sides.flatMap((side) => side.members);
  const stats = extraStats(members);
  return (
    <details className="frame fold match-fold">
      <summary>All stats</summary>
      <div className="stack match-fold-inside">
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
                head: (
                  <>
                    {member.hero}
                    {member.player && (
                      <Name className="cut match-head-player">{member.player.name}</Name>
                    )}
                  </>
                ),
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
      <Pairs
        pairs={facts}
        className={areLong ? "facts stack match-long-pairs" : "facts match-pairs"}
      />
    </section>
  );
}

const titleOf = ({ hero, player }: Member): string =>
  player ? `${hero} · ${isolated(player.name)}` : hero;
