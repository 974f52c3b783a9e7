/** A match as a card, with its rosters side by side if the response includes them. */

import { compact, count, counted, durationText } from "../../format.ts";
import { Name } from "../../kit/name.tsx";
import { Time } from "../../kit/time.tsx";
import { type Member, matchOf, OUTCOME_NAMES, type Readable, type Side } from "../../match.ts";
import { modeName } from "../../names.ts";
import { Link } from "../../router.ts";

interface Context {
  shard: string;
  /** Names and IDs of the players in the query, which are highlighted. */
  highlighted: ReadonlySet<string>;
}

export function MatchCard({ match, ...context }: { match: Readable } & Context) {
  const { id, createdAt, duration, mode, patch, sides } = matchOf(match);
  return (
    <article className="card stack" aria-label={`Match ${id}`}>
      <header className="row explorer-match-head">
        <h3>
          <Link to={{ name: "match", shard: context.shard, id }}>
            {mode ? modeName(mode) : "Match"}
          </Link>
        </h3>
        <p className="row small soft explorer-facts">
          {createdAt && <Time iso={createdAt} />}
          {duration !== undefined && (
            <span>
              <span className="visually-hidden">lasted </span>
              {durationText(duration)}
            </span>
          )}
          {patch && <span>patch {patch}</span>}
        </p>
        <code className="note explorer-id">{id}</code>
      </header>
      {sides.length > 0 && (
        <div className="explorer-rosters">
          {sides.map((side) => (
            <Roster key={side.id} side={side} {...context} />
          ))}
        </div>
      )}
    </article>
  );
}

function Roster({ side, ...context }: { side: Side } & Context) {
  const { attributes, outcome, tag, members, totals } = side;
  return (
    <section className={`explorer-roster${outcome === "won" ? " explorer-roster-won" : ""}`}>
      <h4 className="row label">
        {"won" in attributes && (
          <span className={outcome === "won" ? "won" : ""}>{OUTCOME_NAMES[outcome]}</span>
        )}
        {tag && <Name className="explorer-team">{tag}</Name>}
        <span className="explorer-sums note">
          {totals.gold !== undefined && <span>{compact(totals.gold)} gold</span>}
          {totals.aces !== undefined && <span>{counted(totals.aces, "ace")}</span>}
        </span>
      </h4>
      <ul className="small">
        {members.map((member) => (
          <MemberLine key={member.id} member={member} {...context} />
        ))}
      </ul>
    </section>
  );
}

function MemberLine({ member, shard, highlighted }: { member: Member } & Context) {
  const { player, attributes, hero } = member;
  const score = [member.kills, member.deaths, member.assists];
  const isHighlighted = player && (highlighted.has(player.name) || highlighted.has(player.id));
  return (
    <li className={`explorer-member${isHighlighted ? " explorer-highlight" : ""}`}>
      {player ? (
        <Link className="target cut" to={{ name: "player", shard, id: player.id }}>
          <Name>{player.name}</Name>
        </Link>
      ) : (
        <span className="note cut">Bot or anonymous</span>
      )}
      <span className="soft cut">{attributes.actor === undefined ? "" : hero}</span>
      {score.some((one) => one !== undefined) && (
        <span className="explorer-score" title="Kills / deaths / assists">
          <span className="visually-hidden">Kills, deaths, assists: </span>
          {score.map(count).join(" / ")}
        </span>
      )}
    </li>
  );
}
