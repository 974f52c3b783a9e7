/** The explorer page: a query form, and the response to the query, which follows the form. */

import "./view.css";
import "./form.css";
import "./chips.css";
import "./response.css";
import "./tree.css";
import { useMemo, useRef } from "react";
import { MatchbookError, type Reply } from "../../../../client/src/index.ts";
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
  PRESENTATIONS,
  parameterValue,
  withValue,
} from "./query.ts";
import { pathOf, requestPath } from "./request.ts";
import { fieldNames, parseResponse } from "./response.ts";
import { JsonDocument, Paging, Records } from "./results.tsx";
import { StatusLine } from "./status-line.tsx";
import { hasCards } from "./targets.ts";

const NAMES = "filter[playerNames]";

export default function Explorer({ search }: { search: URLSearchParams }) {
  const { access, shard } = useSession();
  const { form, sent, change, send, turnTo, present } = useDraft(search, shard);
  const missing = missingIn(sent);
  const isRequested = access !== "none" && missing === undefined;
  const path = requestPath(sent);
  const load = useLoad<Reply<unknown> | undefined>(
    `explorer ${isRequested} ${path}`,
    async (matchbook, signal) => (isRequested ? matchbook.get(path, { signal }) : undefined),
  );
  const top = useRef<HTMLElement>(null);
  const error = load.state === "failed" ? load.error : undefined;
  const response = load.state === "failed" ? undefined : load.value;
  const document = (load.value ?? load.before)?.document;
  const fields = useMemo(() => fieldNames(document), [document]);
  const parsed = useMemo(() => parseResponse(response?.document), [response]);
  const as = sent.as === "cards" && !hasCards(sent.on) ? "json" : sent.as;

  const turn = (position: Position | undefined) => {
    turnTo(position);
    const place = top.current?.getBoundingClientRect().top ?? 0;
    if (place < 0) top.current?.scrollIntoView();
  };
  const rename = (name: string, instead: string) => {
    const names = itemsIn(parameterValue(sent, NAMES)).map((one) => (one === name ? instead : one));
    send(withValue(form, NAMES, listOf(added([], names))));
  };
  /** The server's errors about a parameter, until it is changed. */
  const problemsOf = (name: string): string[] => {
    if (!(error instanceof MatchbookError)) return [];
    if (parameterValue(form, name) !== parameterValue(sent, name)) return [];
    return error.problems
      .filter(({ source }) => source && "parameter" in source && source.parameter === name)
      .map(({ detail }) => detail);
  };

  return (
    <DeveloperPage
      current="explorer"
      lead="Search matches and players. The result follows the form, and the page URL contains the query, so you can bookmark and share it."
    >
      <Form
        query={form}
        problemsOf={problemsOf}
        fieldNames={fields}
        onChange={change}
        onSend={() => {
          send();
          if (requestPath(form) === path) load.retry();
        }}
        onClear={() => send(newQuery(form.on, form.shard))}
      />
      <section className="stack explorer-response" aria-label="Response" ref={top}>
        <h2 className="visually-hidden">Response</h2>
        <div className="section-head">
          <Segmented
            label="Show response as"
            options={hasCards(sent.on) ? PRESENTATIONS : PRESENTATIONS.slice(1)}
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
          <div className="stack explorer-result">
            {as === "json" ? (
              <JsonDocument document={response.document} text={response.text} />
            ) : (
              <Records response={parsed} query={sent} onRename={rename} />
            )}
            <Paging links={parsed.links} onTurn={turn} />
          </div>
        )}
      </section>
    </DeveloperPage>
  );
}
