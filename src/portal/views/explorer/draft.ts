/**
 * The state of the explorer's query. The page URL is the query that was sent. The form is ahead of it while the
 * visitor types; after a pause it is sent, which adds a history entry.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { hrefOf, navigate } from "../../router.ts";
import { newEntry } from "../../scroll.ts";
import {
  isSameRequest,
  type Position,
  type Presentation,
  parseQuery,
  type Query,
  searchOf,
} from "./query.ts";

/** In milliseconds, so that not every letter costs a request. */
const PAUSE = 300;

export interface Draft {
  /** The query in the form. Paging does not change it. */
  form: Query;
  /** The query in the URL, with its page position. The response belongs to it. */
  sent: Query;
  /** Changes the form, and sends it after a pause. */
  change(form: Query): void;
  /** Sends this query, or the form, at once. */
  send(form?: Query): void;
  /** Shows another page of the result. */
  turnTo(position: Position | undefined): void;
  /** Shows the same response in another way. */
  present(as: Presentation): void;
}

export function useDraft(search: URLSearchParams, usualShard: string): Draft {
  const address = search.toString();
  const sent = useMemo(
    () => parseQuery(new URLSearchParams(address), usualShard),
    [address, usualShard],
  );
  const [form, setForm] = useState(() => formOf(sent));
  /** The last URL that this page wrote; any other URL is a navigation, which resets the form. */
  const own = useRef(address);
  /** A change of the form that is not sent yet. */
  const pending = useRef<{ query: Query; timer: ReturnType<typeof setTimeout> }>(undefined);
  const stopWaiting = useCallback(() => {
    clearTimeout(pending.current?.timer);
    pending.current = undefined;
  }, []);

  const write = useCallback(
    (query: Query, how: "push" | "replace") => {
      stopWaiting();
      const view = { name: "explorer" as const, search: searchOf(query) };
      own.current = view.search.toString();
      // Not navigate(), which would scroll to the top while the visitor uses the form.
      if (how === "push") history.pushState(newEntry(), "", hrefOf(view));
      navigate(view, "replace");
    },
    [stopWaiting],
  );

  useEffect(() => stopWaiting, [stopWaiting]);

  useEffect(() => {
    if (address === own.current) return;
    stopWaiting();
    own.current = address;
    setForm(formOf(sent));
  }, [address, sent, stopWaiting]);

  // Writes defaults into the URL, so that it means the same to everyone it is shared with.
  useEffect(() => {
    if (sent.shard === "" || searchOf(sent).toString() === address) return;
    write(sent, "replace");
    setForm(formOf(sent));
  }, [sent, address, write]);

  const latest = useRef(sent);
  latest.current = sent;
  const commit = (query: Query, as = latest.current.as) => {
    const next = { ...query, as };
    write(next, isSameRequest(next, latest.current) ? "replace" : "push");
  };

  return {
    form,
    sent,
    change(query) {
      setForm(query);
      stopWaiting();
      pending.current = { query, timer: setTimeout(() => commit(query), PAUSE) };
    },
    send(query = form) {
      setForm(query);
      commit(query);
    },
    turnTo(position) {
      // Links of the response do not fit a form that was changed meanwhile.
      commit(pending.current?.query ?? { ...sent, position });
    },
    present(as) {
      commit(pending.current?.query ?? sent, as);
    },
  };
}

const formOf = ({ position, ...query }: Query): Query => query;
