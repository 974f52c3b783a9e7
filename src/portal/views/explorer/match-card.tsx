/** In charge of a match on a card: its rosters side by side, as far as the reply holds them. */

import { Link } from "../../address.ts";
import { clock, clockInWords, compact, count, counted, numberIn, textIn } from "../../figures.ts";
import { Time } from "../../kit/time.tsx";
import { heroName, modeName } from "../../words.ts";
import type { Part, Reply } from "./reply.ts";

interface Props {
  match: Part;
  reply: Reply;
  shard: string;
  /** Names and ids of the players asked for, which stand out. */
  asked: ReadonlySet<string>;
}

export function MatchCard({ match, ...context }: Props) {
  const { reply, shard } = context;
  const { attributes, id } = match;
  const createdAt = textIn(attributes, "createdAt");
  const duration = numberIn(attributes, "duration");
  const mode = textIn(attributes, "gameMode");
  const patch = textIn(attributes, "patchVersion");
  const rosters = reply.related(match, "rosters");
  return (
    <article className="explorer-match card" aria-label={`Match ${id}`}>
      <header className="explorer-match-head">
        <h3>
          <Link to={{ name: "match", shard, id }}>{mode ? modeName(mode) : "Match"}</Link>
        </h3>
        <p className="explorer-facts">
          {createdAt && <Time iso={createdAt} />}
          {duration !== undefined && (
            <span title={clockInWords(duration)}>
              <span className="unseen">lasted </span>
              {clock(duration)}
            </span>
          )}
          {patch && <span>patch {patch}</span>}
        </p>
        <code className="explorer-id">{id}</code>
      </header>
      {rosters.length > 0 && (
        <div className="explorer-rosters">
          {rosters.map((roster) => (
            <Roster key={roster.id} roster={roster} {...context} />
          ))}
        </div>
      )}
    </article>
  );
}

type Context = Omit<Props, "match">;

function Roster({ roster, ...context }: { roster: Part } & Context) {
  const { reply } = context;
  const won = textIn(roster.attributes, "won");
  const [team] = reply.related(roster, "team");
  const gold = numberIn(roster.stats, "gold");
  const aces = numberIn(roster.stats, "acesEarned");
  const participants = reply.related(roster, "participants");
  return (
    <section className={`explorer-roster${won === "true" ? " explorer-roster-won" : ""}`}>
      <h4>
        {won !== undefined && (
          <span className="explorer-outcome">{won === "true" ? "Won" : "Lost"}</span>
        )}
        {team && (
          <span className="explorer-team">{textIn(team.attributes, "name") ?? team.id}</span>
        )}
        <span className="explorer-sums">
          {gold !== undefined && <span>{compact(gold)} gold</span>}
          {aces !== undefined && <span>{counted(aces, "ace")}</span>}
        </span>
      </h4>
      <ul className="explorer-members">
        {participants.map((participant) => (
          <Member key={participant.id} participant={participant} {...context} />
        ))}
      </ul>
    </section>
  );
}

function Member({ participant, reply, shard, asked }: { participant: Part } & Context) {
  const { attributes, stats } = participant;
  const [player] = reply.related(participant, "player");
  const score = ["kills", "deaths", "assists"].map((key) => numberIn(stats, key));
  const name = player ? (textIn(player.attributes, "name") ?? player.id) : "";
  const isAsked = player !== undefined && (asked.has(name) || asked.has(player.id));
  return (
    <li className={`explorer-member${isAsked ? " explorer-asked" : ""}`}>
      {player ? (
        <Link to={{ name: "player", shard, id: player.id }}>{name}</Link>
      ) : (
        <span className="explorer-nobody">
          {"player" in participant.relationships ? "Player not sent" : "Bot or anonymous"}
        </span>
      )}
      <span className="explorer-hero">
        {attributes.actor === undefined ? "" : heroName(attributes.actor)}
      </span>
      {score.some((one) => one !== undefined) && (
        <span className="explorer-score" title="Kills / deaths / assists">
          <span className="unseen">Kills, deaths, assists: </span>
          {score.map(count).join(" / ")}
        </span>
      )}
    </li>
  );
}
