/** In charge of a response that came: its records as cards or a table, or its JSON, and the way to other pages. */

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
  if (records.length === 0) return <Nothing response={response} query={query} />;
  if (on === "players" || on === "player") return <Players players={records} shard={shard} />;
  const asked = new Set(PLAYER_FILTERS.flatMap((name) => itemsIn(parameterValue(query, name))));
  return (
    <div className="explorer-matches">
      {records.map((match) => (
        <MatchCard key={match.id} {...{ match, response, shard, asked }} />
      ))}
    </div>
  );
}

function Nothing({ response, query }: { response: ParsedResponse; query: Query }) {
  const { window } = response;
  const hasNames = query.parameters.some(([name]) => /names\]$/i.test(name));
  const what = query.on === "players" ? "players" : "matches";
  return (
    <Empty title={`No ${what} fit`}>
      {window && (
        <p>
          Looked from {localTime(window.start)} to {localTime(window.end)}. An earlier start reaches
          further back.
        </p>
      )}
      {hasNames && (
        <p>
          Names are exact, and those of now: case, blanks and every sign count. Take one that the
          field suggests.
        </p>
      )}
      <p>Different filters narrow: try with fewer of them, or in another shard.</p>
    </Empty>
  );
}

/** Unfolded to begin with: the document, its list, and each record with its attributes. */
const FIRST_DEPTH = 4;
const WHOLE_DEPTH = 100;

export function JsonDocument({ document, text }: { document: unknown; text: string }) {
  const [depth, setDepth] = useState(FIRST_DEPTH);
  const [round, setRound] = useState(0);
  const fold = (to: number) => {
    setDepth(to);
    setRound((count) => count + 1);
  };
  return (
    <div className="explorer-json card">
      <div className="explorer-bar">
        <div className="explorer-buttons">
          <button type="button" className="button button-small" onClick={() => fold(WHOLE_DEPTH)}>
            Unfold all
          </button>
          <button type="button" className="button button-small" onClick={() => fold(1)}>
            Fold all
          </button>
        </div>
        <Copy text={text} label="Copy the JSON" />
      </div>
      <div className="explorer-tree">
        <Tree key={round} value={document as Json} depth={depth} />
      </div>
    </div>
  );
}

interface PagingProps {
  /** Tells one such row from another. */
  label: string;
  links: ParsedResponse["links"];
  onFollow(link: string): void;
}

/** All steps are always there, so that nothing moves under the pointer. */
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
          // Not `disabled`: on the last page the focus would be lost with the button.
          aria-disabled={link === undefined}
          onClick={() => link !== undefined && onFollow(link)}
        >
          {step}
        </button>
      ))}
    </nav>
  );
}
