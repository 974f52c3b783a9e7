/** Shows a response: records as cards or a table, JSON, and buttons for other pages. */

import { useState } from "react";
import type { Json } from "../../../domain/json.ts";
import { Copy } from "../../kit/copy.tsx";
import { Empty } from "../../kit/states.tsx";
import { localTime } from "../../kit/time.tsx";
import { itemsIn } from "./lists.ts";
import { MatchCard } from "./match-card.tsx";
import { Players } from "./players.tsx";
import { parameterValue, type Query } from "./query.ts";
import type { ParsedResponse } from "./response.ts";
import { Tree } from "./tree.tsx";

const PLAYER_FILTERS = ["filter[playerNames]", "filter[playerIds]"];

export function Records({ response, query }: { response: ParsedResponse; query: Query }) {
  const { records } = response;
  const { shard, on } = query;
  if (records.length === 0) return <NoResults response={response} query={query} />;
  if (on === "players" || on === "player") return <Players players={records} shard={shard} />;
  const highlighted = new Set(
    PLAYER_FILTERS.flatMap((name) => itemsIn(parameterValue(query, name))),
  );
  return (
    <div className="explorer-matches">
      {records.map((match) => (
        <MatchCard key={match.id} {...{ match, response, shard, highlighted }} />
      ))}
    </div>
  );
}

function NoResults({ response, query }: { response: ParsedResponse; query: Query }) {
  const { window } = response;
  const hasNames = query.parameters.some(([name]) => /names\]$/i.test(name));
  const what = query.on === "players" ? "players" : "matches";
  return (
    <Empty title={`No ${what} found`}>
      {window && (
        <p>
          Searched from {localTime(window.start)} to {localTime(window.end)}. Set an earlier start
          to search further back.
        </p>
      )}
      {hasNames && (
        <p>Use the exact current name, including capitals and spaces, or pick a suggestion.</p>
      )}
      <p>Try fewer filters or another region.</p>
    </Empty>
  );
}

/** Initially expanded: the document, its list, and each record with its attributes. */
const FIRST_DEPTH = 4;
const WHOLE_DEPTH = 100;

export function JsonDocument({ document, text }: { document: unknown; text: string }) {
  const [depth, setDepth] = useState(FIRST_DEPTH);
  const [round, setRound] = useState(0);
  const expandTo = (to: number) => {
    setDepth(to);
    setRound((count) => count + 1);
  };
  return (
    <div className="explorer-json card">
      <div className="explorer-bar">
        <div className="explorer-buttons">
          <button
            type="button"
            className="button button-small"
            onClick={() => expandTo(WHOLE_DEPTH)}
          >
            Expand all
          </button>
          <button type="button" className="button button-small" onClick={() => expandTo(1)}>
            Collapse all
          </button>
        </div>
        <Copy text={text} label="Copy JSON" />
      </div>
      <div className="explorer-tree">
        <Tree key={round} value={document as Json} depth={depth} />
      </div>
    </div>
  );
}

interface PagingProps {
  /** The accessible name; the page may have two of these rows. */
  label: string;
  links: ParsedResponse["links"];
  onFollow(link: string): void;
}

/** Always shows every button, so that none moves under the pointer. */
export function Paging({ label, links: { first, prev, next }, onFollow }: PagingProps) {
  const steps: [step: string, link: string | undefined][] = [
    ["First", prev ? first : undefined],
    ["Previous", prev],
    ["Next", next],
  ];
  return (
    <nav className="explorer-paging" aria-label={label}>
      {steps.map(([step, link]) => (
        <button
          key={step}
          type="button"
          className="button button-small"
          // Not `disabled`, which would drop the keyboard focus on the last page.
          aria-disabled={link === undefined}
          onClick={() => link !== undefined && onFollow(link)}
        >
          {step}
        </button>
      ))}
    </nav>
  );
}
