/** A match as a card, with its rosters side by side if the response includes them. */

import { compact, count, counted, durationText, numberIn, textIn } from "../../format.ts";
import { Name } from "../../kit/name.tsx";
import { Time } from "../../kit/time.tsx";
import { heroName, modeName } from "../../names.ts";
import { Link } from "../../router.ts";
import { OUTCOME_NAMES } from "../match/record.ts";
import type { ParsedResponse, Resource } from "./response.ts";

interface Props {
  match: Resource;
  response: ParsedResponse;
  shard: string;
  /** Names and IDs of the players in the query, which are highlighted. */
  highlighted: ReadonlySet<string>;
}

export function MatchCard({ match, ...context }: Props) {
  const { response, shard } = context;
  const { attributes, id } = match;
  const createdAt = textIn(attributes, "createdAt");
  const duration = numberIn(attributes, "duration");
  const mode = textIn(attributes, "gameMode");
  const patch = textIn(attributes, "patchVersion");
  const rosters = response.related(match, "rosters");
  return (
    <article className="card stack" aria-label={`Match ${id}`}>
      <header className="row explorer-match-head">
        <h3>
          <Link to={{ name: "match", shard, id }}>{mode ? modeName(mode) : "Match"}</Link>
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

function Roster({ roster, ...context }: { roster: Resource } & Context) {
  const { response } = context;
  const won = textIn(roster.attributes, "won");
  const [team] = response.related(roster, "team");
  const gold = numberIn(roster.stats, "gold");
  const aces = numberIn(roster.stats, "acesEarned");
  const participants = response.related(roster, "participants");
  return (
    <section className={`explorer-roster${won === "true" ? " explorer-roster-won" : ""}`}>
      <h4 className="row label">
        {won !== undefined && (
          <span className={won === "true" ? "won" : ""}>
            {OUTCOME_NAMES[won === "true" ? "won" : "lost"]}
          </span>
        )}
        {team && (
          <Name className="explorer-team">{textIn(team.attributes, "name") ?? team.id}</Name>
        )}
        <span className="explorer-sums note">
          {gold !== undefined && <span>{compact(gold)} gold</span>}
          {aces !== undefined && <span>{counted(aces, "ace")}</span>}
        </span>
      </h4>
      <ul className="small">
        {participants.map((participant) => (
          <Member key={participant.id} participant={participant} {...context} />
        ))}
      </ul>
    </section>
  );
}

function Member({
  participant,
  response,
  shard,
  highlighted,
}: { participant: Resource } & Context) {
  const { attributes, stats } = participant;
  const [player] = response.related(participant, "player");
  const score = ["kills", "deaths", "assists"].map((key) => numberIn(stats, key));
  const name = player ? (textIn(player.attributes, "name") ?? player.id) : "";
  const isHighlighted =
    player !== undefined && (highlighted.has(name) || highlighted.has(player.id));
  return (
    <li className={`explorer-member${isHighlighted ? " explorer-highlight" : ""}`}>
      {player ? (
        <Link className="target cut" to={{ name: "player", shard, id: player.id }}>
          <Name>{name}</Name>
        </Link>
      ) : (
        <span className="note cut">
          {"player" in participant.relationships ? "Player not included" : "Bot or anonymous"}
        </span>
      )}
      <span className="soft cut">
        {attributes.actor === undefined ? "" : heroName(attributes.actor)}
      </span>
      {score.some((one) => one !== undefined) && (
        <span className="explorer-score" title="Kills / deaths / assists">
          <span className="visually-hidden">Kills, deaths, assists: </span>
          {score.map(count).join(" / ")}
        </span>
      )}
    </li>
  );
}
