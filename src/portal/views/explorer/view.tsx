/** In charge of the page "Explorer": a question on the left, the reply to it on the right. */

import "./view.css";
import "./form.css";
import "./chips.css";
import "./reply.css";
import "./tree.css";
import { useMemo, useRef } from "react";
import { type Reply as ClientReply, MatchbookError } from "../../../../client/src/index.ts";
import { useLoad } from "../../kit/load.ts";
import { Page } from "../../kit/page.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { askForKey, useSession } from "../../session.ts";
import { JsonDocument, Paging, Records } from "./answer.tsx";
import { Choices } from "./controls.tsx";
import { useDraft } from "./draft.ts";
import { Form } from "./form.tsx";
import {
  followed,
  givenFor,
  isSame,
  isWhole,
  type Presentation,
  type Question,
  questionOf,
} from "./question.ts";
import { Recipe } from "./recipe.tsx";
import { fieldNames, readReply } from "./reply.ts";
import { pathOf } from "./request.ts";
import { StatusLine } from "./status-line.tsx";

const PRESENTATIONS: readonly { value: Presentation; label: string }[] = [
  { value: "cards", label: "Records" },
  { value: "json", label: "JSON" },
];

export default function Explorer({ search }: { search: URLSearchParams }) {
  const { key, matchbook, shard, setShard } = useSession();
  const { draft, sent, round, change, send, present } = useDraft(search, shard);
  const status = useLoad((signal) => matchbook.status({ signal }), [matchbook]);
  const isAsked = key !== undefined && isWhole(sent);
  const path = pathOf(sent);
  const load = useLoad<Answer | undefined>(
    async (signal) => {
      if (!isAsked) return undefined;
      return { question: sent, reply: await matchbook.get(path, { signal }) };
    },
    [matchbook, isAsked, path, round],
  );
  const top = useRef<HTMLElement>(null);
  const error = load.state === "failed" ? load.error : undefined;
  const reply = load.value?.reply;
  const known = useMemo(() => fieldNames(reply?.document), [reply]);
  const links = useMemo(() => readReply(error ? {} : reply?.document).links, [reply, error]);

  const takeUp = (question: Question) => {
    if (question.shard !== draft.shard) setShard(question.shard);
    change(question);
  };
  const ask = (question?: Question) => {
    send(question);
    // On a small screen the reply is far below the form.
    const place = top.current?.getBoundingClientRect().top ?? 0;
    if (place > innerHeight / 2) top.current?.scrollIntoView();
  };
  const follow = (link: string) => ask(followed(sent, link));
  const problemsOf = (name: string): string[] =>
    givenFor(draft, name) === givenFor(sent, name) ? problemsIn(error, name) : [];

  return (
    <Page
      title="Explorer"
      name="Explorer"
      lead="Ask for matches and players. The address of this page is the query: share it, and others see the same."
    >
      <div className="explorer">
        <Form
          question={draft}
          shards={status.value?.shards.map(({ id }) => id) ?? [shard]}
          problemsOf={problemsOf}
          fieldNames={known}
          onChange={takeUp}
          onSend={() => ask()}
          onClear={() =>
            change({ ...questionOf(new URLSearchParams(), draft.shard), as: draft.as })
          }
        />
        <div className="explorer-side">
          <Recipe question={draft} />
          <section className="explorer-reply" aria-label="Reply" ref={top}>
            <div className="explorer-bar explorer-reply-head">
              <h2>Reply</h2>
              {!isSame(draft, sent) && (
                <p className="explorer-stale" role="status">
                  to the query before your changes
                </p>
              )}
              <div className="explorer-bar-end">
                {isAsked && sent.on === "matches" && (
                  <Paging label="Pages of the reply" links={links} onFollow={follow} />
                )}
                <fieldset className="explorer-plain">
                  <legend className="unseen">Show the reply as</legend>
                  <Choices
                    name="explorer-as"
                    choices={PRESENTATIONS}
                    value={draft.as}
                    onChange={(as) => present(as as Presentation)}
                  />
                </fieldset>
              </div>
            </div>
            {isAsked ? (
              <>
                <StatusLine reply={reply} error={error} />
                <Loaded load={load} label="Waiting for the reply" lines={14}>
                  {(answer) =>
                    answer && <AnswerShown answer={answer} as={draft.as} onFollow={follow} />
                  }
                </Loaded>
              </>
            ) : (
              <NotAsked hasKey={key !== undefined} hasShard={sent.shard !== ""} />
            )}
          </section>
        </div>
      </div>
    </Page>
  );
}

interface Answer {
  /** What it answers: while another is on its way, the old reply is still shown. */
  question: Question;
  reply: ClientReply<unknown>;
}

function AnswerShown({
  answer,
  as,
  onFollow,
}: {
  answer: Answer;
  as: Presentation;
  onFollow(link: string): void;
}) {
  const { question, reply } = answer;
  const read = useMemo(() => readReply(reply.document), [reply]);
  return (
    <div className="explorer-answer">
      {as === "json" ? (
        <JsonDocument document={reply.document} text={reply.text} />
      ) : (
        <Records reply={read} question={question} />
      )}
      {read.isList && question.on === "matches" && as === "cards" && read.parts.length > 1 && (
        <Paging label="Pages, below the records" links={read.links} onFollow={onFollow} />
      )}
    </div>
  );
}

function NotAsked({ hasKey, hasShard }: { hasKey: boolean; hasShard: boolean }) {
  if (!hasShard) {
    return (
      <Empty title="No shard is chosen">
        <p>
          Choose one and send the query. If there are none yet, they come with the first records.
        </p>
      </Empty>
    );
  }
  if (hasKey) {
    return (
      <Empty title="Nothing was asked yet">
        <p>Give the id of the record and send the query.</p>
      </Empty>
    );
  }
  return (
    <Empty title="Records need an API key">
      <p>You can build a query without one, and copy it. To see the reply, add your key.</p>
      <button type="button" className="button button-main" onClick={() => askForKey()}>
        Enter an API key
      </button>
    </Empty>
  );
}

/** What the service said of one parameter. */
function problemsIn(error: unknown, name: string): string[] {
  if (!(error instanceof MatchbookError)) return [];
  return error.problems
    .filter(
      ({ source }) => source !== undefined && "parameter" in source && source.parameter === name,
    )
    .map(({ detail }) => detail);
}
