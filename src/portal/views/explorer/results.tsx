/** Shows a response: records as cards or a table, JSON, and buttons for other pages. */

import { useState } from "react";
import type { Json } from "../../../domain/json.ts";
import { MAX_NEAR_LENGTH } from "../../../features/name-search/parameters.ts";
import { MAX_OMITTED } from "../../../query/parameters.ts";
import { counted } from "../../format.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy.tsx";
import { useLoad } from "../../kit/load.ts";
import { Name } from "../../kit/name.tsx";
import { Empty } from "../../kit/states.tsx";
import { localTime } from "../../kit/time.tsx";
import { itemsIn } from "./lists.ts";
import { MatchCard } from "./match-card.tsx";
import { Players } from "./players.tsx";
import { type Position, parameterValue, positionIn, type Query } from "./query.ts";
import type { ParsedResponse } from "./response.ts";
import { Tree } from "./tree.tsx";

const MOST_NAMES = 3;
const PLAYER_FILTERS = ["filter[playerNames]", "filter[playerIds]"];

interface Props {
  response: ParsedResponse;
  query: Query;
  /** Searches for this player name instead of another. */
  onRename(name: string, instead: string): void;
}

export function Records({ response, query, onRename }: Props) {
  const { records, omitted } = response;
  const { shard, on } = query;
  if (records.length === 0) return <NoResults {...{ response, query, onRename }} />;
  if (on === "players" || on === "player") {
    return (
      <>
        <Players players={records} shard={shard} />
        {omitted > 0 && (
          <p className="explorer-hint">
            Not listed:{" "}
            {omitted === MAX_OMITTED ? `${omitted} or more` : counted(omitted, "more player")}.
          </p>
        )}
      </>
    );
  }
  const highlighted = new Set(
    PLAYER_FILTERS.flatMap((name) => itemsIn(parameterValue(query, name))),
  );
  return (
    <div className="stack">
      {records.map((match) => (
        <MatchCard key={match.id} {...{ match, shard, highlighted }} />
      ))}
    </div>
  );
}

function NoResults({ response, query, onRename }: Props) {
  const { window } = response;
  const names = itemsIn(parameterValue(query, "filter[playerNames]"));
  const what = query.on === "players" ? "players" : "matches";
  return (
    <Empty title={`No ${what} found`}>
      {names.map((name) => (
        <DidYouMean key={name} {...{ query, name, onRename }} />
      ))}
      {window && (
        <p>
          Searched from {localTime(window.start)} to {localTime(window.end)}. Set an earlier start
          to search further back.
        </p>
      )}
      <p>Names must match exactly. Try fewer filters or another region.</p>
    </Empty>
  );
}

/** Names similar to one that found nothing. */
function DidYouMean({ query, name, onRename }: Omit<Props, "response"> & { name: string }) {
  const { shard } = query;
  const similar = useLoad(`similar ${shard} ${name}`, async (matchbook, signal) => {
    const start = Array.from(name).slice(0, MAX_NEAR_LENGTH).join("");
    const found = await matchbook.shard(shard).playerNames(start, { signal });
    return [...new Set(found.map((one) => one.name))];
  });
  const names = similar.value?.slice(0, MOST_NAMES) ?? [];
  // The player exists, but has no matches that satisfy the other filters.
  if (names.length === 0 || names.includes(name)) return null;
  return (
    <p className="row explorer-instead">
      No player is called <Name className="explorer-called">{name}</Name>. Did you mean{" "}
      {names.map((one) => (
        <Button look="small" key={one} onClick={() => onRename(name, one)}>
          <Name>{one}</Name>
        </Button>
      ))}
      ?
    </p>
  );
}

/** Initially expanded: the document, its list, and each record with its attributes. */
const FIRST_DEPTH = 4;
const WHOLE_DEPTH = 100;

export function JsonDocument({ document, text }: { document: unknown; text: string }) {
  const [{ depth, round }, setDepth] = useState({ depth: FIRST_DEPTH, round: 0 });
  const button = (label: string, to: number) => (
    <Button look="small" onClick={() => setDepth({ depth: to, round: round + 1 })}>
      {label}
    </Button>
  );
  return (
    <div className="card stack">
      <div className="section-head">
        <div className="row">
          {button("Expand all", WHOLE_DEPTH)}
          {button("Collapse all", 1)}
        </div>
        <CopyButton text={text} label="Copy JSON" />
      </div>
      <div className="explorer-tree">
        <Tree key={round} value={document as Json} depth={depth} />
      </div>
    </div>
  );
}

interface PagingProps extends Pick<ParsedResponse, "links"> {
  onTurn(position: Position | undefined): void;
}

/** Always shows every button, so that none moves under the pointer. */
export function Paging({ links: { prev, next }, onTurn }: PagingProps) {
  if (!prev && !next) return null;
  const button = (step: string, link: string | undefined, to = link) => (
    <Button
      look="small"
      // Not `disabled`, which would drop the keyboard focus on the last page.
      aria-disabled={link === undefined}
      onClick={() => link !== undefined && onTurn(to ? positionIn(to) : undefined)}
    >
      {step}
    </Button>
  );
  return (
    <nav className="row explorer-paging" aria-label="Pages">
      {button("First", prev, "")}
      {button("Previous", prev)}
      {button("Next", next)}
    </nav>
  );
}
