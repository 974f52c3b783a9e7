/** The explorer page: a query form, and the response to the query. */

import "./view.css";
import "./form.css";
import "./chips.css";
import "./response.css";
import "./tree.css";
import { useMemo, useRef } from "react";
import { type Reply as ClientResponse, MatchbookError } from "../../../../client/src/index.ts";
import { useLoad } from "../../kit/load.ts";
import { Page } from "../../kit/page.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { askForKey, useSession } from "../../session.ts";
import { Choices } from "./controls.tsx";
import { useDraft } from "./draft.ts";
import { Form } from "./form.tsx";
import {
  isComplete,
  isSameRequest,
  type Presentation,
  parameterValue,
  parseQuery,
  type Query,
  queryFromLink,
} from "./query.ts";
import { pathOf } from "./request.ts";
import { fieldNames, parseResponse } from "./response.ts";
import { JsonDocument, Paging, Records } from "./results.tsx";
import { Snippet } from "./snippet.tsx";
import { StatusLine } from "./status-line.tsx";

const PRESENTATIONS: readonly { value: Presentation; label: string }[] = [
  { value: "cards", label: "Records" },
  { value: "json", label: "JSON" },
];

export default function Explorer({ search }: { search: URLSearchParams }) {
  const { key, matchbook, shard, setShard } = useSession();
  const { draft, sent, round, change, send, present } = useDraft(search, shard);
  const status = useLoad((signal) => matchbook.status({ signal }), [matchbook]);
  const isRequested = key !== undefined && isComplete(sent);
  const path = pathOf(sent);
  const load = useLoad<Result | undefined>(
    async (signal) => {
      if (!isRequested) return undefined;
      return { query: sent, response: await matchbook.get(path, { signal }) };
    },
    [matchbook, isRequested, path, round],
  );
  const top = useRef<HTMLElement>(null);
  const error = load.state === "failed" ? load.error : undefined;
  const response = load.value?.response;
  const known = useMemo(() => fieldNames(response?.document), [response]);
  const links = useMemo(
    () => parseResponse(error ? {} : response?.document).links,
    [response, error],
  );

  const changeQuery = (query: Query) => {
    if (query.shard !== draft.shard) setShard(query.shard);
    change(query);
  };
  const submit = (query?: Query) => {
    send(query);
    // On a small screen the response is far below the form.
    const place = top.current?.getBoundingClientRect().top ?? 0;
    if (place > innerHeight / 2) top.current?.scrollIntoView();
  };
  const follow = (link: string) => submit(queryFromLink(sent, link));
  const problemsOf = (name: string): string[] =>
    parameterValue(draft, name) === parameterValue(sent, name) ? problemsIn(error, name) : [];

  return (
    <Page
      title="Explorer"
      name="Explorer"
      lead="Search matches and players. Your query is in the page URL, so you can bookmark and share it."
    >
      <div className="explorer">
        <Form
          query={draft}
          shards={status.value?.shards.map(({ id }) => id) ?? [shard]}
          problemsOf={problemsOf}
          fieldNames={known}
          onChange={changeQuery}
          onSend={() => submit()}
          onClear={() =>
            change({ ...parseQuery(new URLSearchParams(), draft.shard), as: draft.as })
          }
        />
        <div className="explorer-side">
          <Snippet query={draft} />
          <section className="explorer-response" aria-label="Response" ref={top}>
            <div className="explorer-bar explorer-response-head">
              <h2>Response</h2>
              {!isSameRequest(draft, sent) && (
                <p className="explorer-stale" role="status">
                  Out of date. Send to update.
                </p>
              )}
              <div className="explorer-bar-end">
                {isRequested && sent.on === "matches" && (
                  <Paging label="Pages" links={links} onFollow={follow} />
                )}
                <fieldset className="explorer-plain">
                  <legend className="visually-hidden">Show response as</legend>
                  <Choices
                    name="explorer-as"
                    choices={PRESENTATIONS}
                    value={draft.as}
                    onChange={(as) => present(as as Presentation)}
                  />
                </fieldset>
              </div>
            </div>
            {isRequested ? (
              <>
                <StatusLine response={response} error={error} />
                <Loaded load={load} label="Loading response" lines={14}>
                  {(result) =>
                    result && <ResultView result={result} as={draft.as} onFollow={follow} />
                  }
                </Loaded>
              </>
            ) : (
              <NotRequested hasKey={key !== undefined} hasShard={sent.shard !== ""} />
            )}
          </section>
        </div>
      </div>
    </Page>
  );
}

interface Result {
  /** The query of this response, which stays visible while the next one loads. */
  query: Query;
  response: ClientResponse<unknown>;
}

function ResultView({
  result,
  as,
  onFollow,
}: {
  result: Result;
  as: Presentation;
  onFollow(link: string): void;
}) {
  const { query, response } = result;
  const parsed = useMemo(() => parseResponse(response.document), [response]);
  return (
    <div className="explorer-result">
      {as === "json" ? (
        <JsonDocument document={response.document} text={response.text} />
      ) : (
        <Records response={parsed} query={query} />
      )}
      {parsed.isList && query.on === "matches" && as === "cards" && parsed.records.length > 1 && (
        <Paging label="Pages, bottom" links={parsed.links} onFollow={onFollow} />
      )}
    </div>
  );
}

function NotRequested({ hasKey, hasShard }: { hasKey: boolean; hasShard: boolean }) {
  if (!hasShard) {
    return (
      <Empty title="No region selected">
        <p>Select a region and send the query. Regions appear once match data is loaded.</p>
      </Empty>
    );
  }
  if (hasKey) {
    return (
      <Empty title="No query sent yet">
        <p>Enter an ID and send the query.</p>
      </Empty>
    );
  }
  return (
    <Empty title="API key required">
      <p>You can build and copy a query without a key. Add your key to see the response.</p>
      <button type="button" className="button button-main" onClick={() => askForKey()}>
        Enter an API key
      </button>
    </Empty>
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
