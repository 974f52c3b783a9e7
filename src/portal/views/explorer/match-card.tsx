/** A match as a card, with its rosters side by side if the response includes them. */

import { clock, clockInWords, compact, count, counted } from "../../format.ts";
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
    <article className="explorer-match card" aria-label={`Match ${id}`}>
      <header className="explorer-match-head">
        <h3>
          <Link to={{ name: "match", shard: context.shard, id }}>
            {mode ? modeName(mode) : "Match"}
          </Link>
        </h3>
        <p className="explorer-facts">
          {createdAt && <Time iso={createdAt} />}
          {duration !== undefined && (
            <span title={clockInWords(duration)}>
              <span className="visually-hidden">lasted </span>
              {clock(duration)}
            </span>
          )}
          {patch && <span>patch {patch}</span>}
        </p>
        <code className="explorer-id">{id}</code>
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
      <h4>
        {"won" in attributes && <span className="explorer-outcome">{OUTCOME_NAMES[outcome]}</span>}
        {tag && <span className="explorer-team">{tag}</span>}
        <span className="explorer-sums">
          {totals.gold !== undefined && <span>{compact(totals.gold)} gold</span>}
          {totals.aces !== undefined && <span>{counted(totals.aces, "ace")}</span>}
        </span>
      </h4>
      <ul className="explorer-members">
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
        <Link to={{ name: "player", shard, id: player.id }}>{player.name}</Link>
      ) : (
        <span className="explorer-nobody">Bot or anonymous</span>
      )}
      <span className="explorer-hero">{attributes.actor === undefined ? "" : hero}</span>
      {score.some((one) => one !== undefined) && (
        <span className="explorer-score" title="Kills / deaths / assists">
          <span className="visually-hidden">Kills, deaths, assists: </span>
          {score.map(count).join(" / ")}
        </span>
      )}
    </li>
  );
}
