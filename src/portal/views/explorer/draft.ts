/**
 * In charge of the query on the page: the one being written, the one that was sent, and the
 * page's address, which follows the writing and gets a step of its own when something is sent.
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

/** Browsers refuse to change the address too often; a pause in the typing is soon enough. */
const PAUSE = 250;

export interface Draft {
  /** As the form has it now. */
  draft: Query;
  /** What the reply belongs to. */
  sent: Query;
  /** Counts what was sent, so that the same query can be asked again. */
  round: number;
  change(query: Query): void;
  /** Sends this query, or the one being written. */
  send(query?: Query): void;
  /** Shows the same reply in another way. */
  present(as: Presentation): void;
}

const viewOf = (query: Query) => ({ name: "explorer" as const, search: searchOf(query) });

export function useDraft(search: URLSearchParams, usualShard: string): Draft {
  const address = search.toString();
  const [draft, setDraft] = useState(() => parseQuery(search, usualShard));
  const [sent, setSent] = useState(draft);
  const [round, setRound] = useState(0);
  /** The address that this page wrote itself; any other is one to go to. */
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

  // What an address leaves open is written out, so that it means the same to whoever it is sent to.
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
      // The step back leads to what was sent before, not to its half-changed form.
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
