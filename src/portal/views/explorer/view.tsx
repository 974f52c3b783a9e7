/** The explorer page: a query form, and the response to the query, which follows the form. */

import "./view.css";
import "./form.css";
import "./chips.css";
import "./response.css";
import "./tree.css";
import { useEffect, useMemo, useRef } from "react";
import { type Reply as ClientResponse, MatchbookError } from "../../../../client/src/index.ts";
import { useLoad } from "../../kit/load.ts";
import { NeedsKey } from "../../kit/needs-key.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Empty, Problem } from "../../kit/states.tsx";
import { useSession } from "../../session.ts";
import { DeveloperPage } from "../developers/layout.tsx";
import { Sample } from "../developers/sample.tsx";
import { useDraft } from "./draft.ts";
import { Form } from "./form.tsx";
import { added, itemsIn, listOf } from "./lists.ts";
import {
  missingIn,
  newQuery,
  type Position,
  type Presentation,
  parameterValue,
  type Query,
  withShard,
  withValue,
} from "./query.ts";
import { pathOf, requestPath } from "./request.ts";
import { fieldNames, parseResponse } from "./response.ts";
import { JsonDocument, Paging, Records } from "./results.tsx";
import { StatusLine } from "./status-line.tsx";
import { targetRow } from "./targets.ts";

const NAMES = "filter[playerNames]";

export default function Explorer({ search }: { search: URLSearchParams }) {
  const { access, matchbook, shard, setShard } = useSession();
  const { form, sent, round, change, send, turnTo, present } = useDraft(search, shard);
  const status = useLoad((signal) => matchbook.status({ signal }), [matchbook]);
  const missing = missingIn(sent);
  const isRequested = access !== "none" && missing === undefined;
  const path = requestPath(sent);
  const load = useLoad<Result | undefined>(
    async (signal) => {
      if (!isRequested) return undefined;
      return { path, response: await matchbook.get(path, { signal }) };
    },
    [matchbook, isRequested, path, round],
  );
  const top = useRef<HTMLElement>(null);
  const error = load.state === "failed" ? load.error : undefined;
  // A result of another query is never shown, not even while the next one loads.
  const isCurrent = load.state !== "failed" && load.value?.path === path;
  const response = isCurrent ? load.value?.response : undefined;
  const document = load.value?.response.document;
  const known = useMemo(() => fieldNames(document), [document]);
  const { hasCards = false } = targetRow(sent.on);
  const as = sent.as === "cards" && !hasCards ? "json" : sent.as;

  const regions = status.value?.shards.map(({ id }) => id) ?? [shard];
  useRegionOfHeader({ shard, setShard, sent, isKnown: regions.includes(sent.shard) }, (region) =>
    send(withShard(form, region)),
  );

  const turn = (position: Position | undefined) => {
    turnTo(position);
    const place = top.current?.getBoundingClientRect().top ?? 0;
    if (place < 0) top.current?.scrollIntoView();
  };
  const rename = (name: string, instead: string) => {
    const names = itemsIn(parameterValue(sent, NAMES)).map((one) => (one === name ? instead : one));
    send(withValue(form, NAMES, listOf(added([], names))));
  };
  const problemsOf = (name: string): string[] =>
    parameterValue(form, name) === parameterValue(sent, name) ? problemsIn(error, name) : [];

  return (
    <DeveloperPage
      current="explorer"
      title="Explorer"
      lead="Search matches and players. The result follows the form, and the page URL contains the query, so you can bookmark and share it."
    >
      <Form
        query={form}
        shards={regions}
        problemsOf={problemsOf}
        fieldNames={known}
        onChange={change}
        onSend={() => send()}
        onClear={() => send(newQuery(form.on, form.shard))}
      />
      <section className="explorer-response" aria-label="Response" ref={top}>
        <h2 className="visually-hidden">Response</h2>
        <div className="explorer-bar">
          <Segmented
            label="Show response as"
            options={[
              ...(hasCards ? [{ value: "cards" as const, label: "Records" }] : []),
              { value: "json" as const, label: "JSON" },
              { value: "code" as const, label: "Code" },
            ]}
            value={as}
            onChange={present}
          />
          {isRequested && <StatusLine response={response} error={error} />}
        </div>
        {as === "code" ? (
          <Sample path={pathOf(form)} />
        ) : access === "none" ? (
          <NeedsKey what="the response" />
        ) : missing !== undefined ? (
          <Empty title="The query is not complete">
            <p>Enter {missing} to see the response.</p>
          </Empty>
        ) : error !== undefined ? (
          <Problem error={error} retry={load.retry} />
        ) : response === undefined ? (
          <Skeleton
            label="Loading response"
            shape={as === "cards" ? "cards" : "lines"}
            {...(as === "cards" ? { count: 4, height: 150 } : { count: 16 })}
          />
        ) : (
          <ResultView {...{ response, as, onTurn: turn, onRename: rename }} query={sent} />
        )}
      </section>
    </DeveloperPage>
  );
}

/** The region in the header is that of the query. `onSelect` is called if the visitor changes it there. */
function useRegionOfHeader(
  {
    shard,
    setShard,
    sent,
    isKnown,
  }: { shard: string; setShard(id: string): void; sent: Query; isKnown: boolean },
  onSelect: (region: string) => void,
): void {
  const before = useRef(shard);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the query changes the header here.
  useEffect(() => {
    if (isKnown && sent.shard !== shard) setShard(sent.shard);
  }, [sent.shard, isKnown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the header changes the query here.
  useEffect(() => {
    const wasSame = before.current === sent.shard;
    before.current = shard;
    if (wasSame && shard !== sent.shard) onSelect(shard);
  }, [shard]);
}

interface Result {
  /** The request of this response. */
  path: string;
  response: ClientResponse<unknown>;
}

function ResultView({
  query,
  response,
  as,
  onTurn,
  onRename,
}: {
  query: Query;
  response: ClientResponse<unknown>;
  as: Presentation;
  onTurn(position: Position | undefined): void;
  onRename(name: string, instead: string): void;
}) {
  const parsed = useMemo(() => parseResponse(response.document), [response]);
  const { prev, next } = parsed.links;
  return (
    <div className="explorer-result">
      {as === "json" ? (
        <JsonDocument document={response.document} text={response.text} />
      ) : (
        <Records response={parsed} query={query} onRename={onRename} />
      )}
      {(prev || next) && <Paging label="Pages" links={parsed.links} onTurn={onTurn} />}
    </div>
  );
}

/** The server's errors about a parameter. */
function problemsIn(error: unknown, name: string): string[] {
  if (!(error instanceof MatchbookError)) return [];
  return error.problems
    .filter(
      ({ source }) => source !== undefined && "parameter" in source && source.parameter === name,
    )
    .map(({ detail }) => detail);
}
