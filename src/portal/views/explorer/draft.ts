/**
 * The state of the explorer's query: the draft in the form, the query that was sent, and the page URL. The URL
 * follows the draft; sending a query adds a history entry.
 */

import { useCallback, useEffect, useRef, useState } from "react";
import { hrefOf, navigate } from "../../router.ts";
import {
  isComplete,
  isSameRequest,
  type Presentation,
  parseQuery,
  type Query,
  searchOf,
} from "./query.ts";

/** Browsers limit how often the URL may change, so it is updated after a pause in typing. */
const PAUSE = 250;

export interface Draft {
  /** The query in the form. */
  draft: Query;
  /** The query that the response belongs to. */
  sent: Query;
  /** Counts sent queries, so that the same query can be sent again. */
  round: number;
  change(query: Query): void;
  /** Sends this query, or the draft. */
  send(query?: Query): void;
  /** Shows the same response in another way. */
  present(as: Presentation): void;
}

const viewOf = (query: Query) => ({ name: "explorer" as const, search: searchOf(query) });

export function useDraft(search: URLSearchParams, usualShard: string): Draft {
  const address = search.toString();
  const [draft, setDraft] = useState(() => parseQuery(search, usualShard));
  const [sent, setSent] = useState(draft);
  const [round, setRound] = useState(0);
  /** The last URL that this page wrote; any other URL is a navigation. */
  const own = useRef(address);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const write = useCallback((query: Query, how: "push" | "replace") => {
    clearTimeout(timer.current);
    own.current = searchOf(query).toString();
    navigate(viewOf(query), how);
  }, []);

  useEffect(() => () => clearTimeout(timer.current), []);

  useEffect(() => {
    if (address === own.current) return;
    clearTimeout(timer.current);
    own.current = address;
    const query = parseQuery(new URLSearchParams(address), usualShard);
    setDraft(query);
    setSent(query);
  }, [address, usualShard]);

  // Writes defaults into the URL, so that it means the same to everyone it is shared with.
  useEffect(() => {
    if (sent.shard !== "" && address === own.current && searchOf(sent).toString() !== address) {
      if (draft === sent) write(sent, "replace");
    }
  }, [sent, draft, address, write]);

  const change = (query: Query) => {
    setDraft(query);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => write(query, "replace"), PAUSE);
  };

  const send = (query = draft) => {
    if (!isComplete(query)) return;
    if (!isSameRequest(query, sent)) {
      // So that Back leads to the query sent before, not to the half-edited draft.
      history.replaceState(history.state, "", hrefOf(viewOf(sent)));
      write(query, "push");
    }
    setDraft(query);
    setSent(query);
    setRound((count) => count + 1);
  };

  const present = (as: Presentation) => {
    setDraft({ ...draft, as });
    setSent({ ...sent, as });
    write({ ...draft, as }, "replace");
  };

  return { draft, sent, round, change, send, present };
}
