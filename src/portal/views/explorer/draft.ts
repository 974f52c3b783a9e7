/**
 * The state of the explorer's query. The page URL is the query that was sent. The form is ahead of it while the
 * visitor types; after a pause it is sent, which adds a history entry.
 */

import { useEffect, useMemo, useRef, useState } from "react";
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

export function useDraft(search: URLSearchParams, usualShard: string) {
  const address = search.toString();
  const sent = useMemo(
    () => parseQuery(new URLSearchParams(address), usualShard),
    [address, usualShard],
  );
  /** A form that is not sent yet. */
  const [changed, setChanged] = useState<Query>();
  /** The last URL that this page wrote; any other URL is a navigation, which resets the form. */
  const own = useRef(address);
  const form = changed ?? formOf(sent);

  const write = (query: Query, as = sent.as) => {
    setChanged(undefined);
    const view = { name: "explorer" as const, search: searchOf({ ...query, as }) };
    own.current = view.search.toString();
    // Not navigate(), which would scroll to the top while the visitor uses the form.
    if (!isSameRequest(query, sent)) history.pushState(newEntry(), "", hrefOf(view));
    navigate(view, "replace");
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another change begins a new pause.
  useEffect(() => {
    if (!changed) return;
    const timer = setTimeout(write, PAUSE, changed);
    return () => clearTimeout(timer);
  }, [changed]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the URL matters.
  useEffect(() => {
    if (address !== own.current) setChanged(undefined);
    own.current = address;
    // Writes defaults into the URL, so that it means the same to everyone it is shared with.
    if (sent.shard !== "" && searchOf(sent).toString() !== address) write(sent);
  }, [sent, address]);

  return {
    /** The query in the form. Paging does not change it. */
    form,
    /** The query in the URL, with its page position. The response belongs to it. */
    sent,
    /** Changes the form, and sends it after a pause. */
    change: setChanged,
    /** Sends this query, or the form, at once. */
    send: (query = form) => write(query),
    /** Shows another page of the result. Its links do not fit a form that was changed meanwhile. */
    turnTo: (position: Position | undefined) => write(changed ?? { ...sent, position }),
    /** Shows the same response in another way. */
    present: (as: Presentation) => write(changed ?? sent, as),
  };
}

const formOf = ({ position, ...query }: Query): Query => query;
