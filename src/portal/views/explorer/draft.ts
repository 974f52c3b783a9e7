/**
 * In charge of the question on the page: the one being written, the one that was sent, and the
 * page's address, which follows the writing and gets a step of its own when something is sent.
 */

import { useCallback, useEffect, useRef, useState } from "react";
import { go, hrefOf } from "../../address.ts";
import {
  isSame,
  isWhole,
  type Presentation,
  type Question,
  questionOf,
  searchOf,
} from "./question.ts";

/** Browsers refuse to change the address too often; a pause in the typing is soon enough. */
const PAUSE = 250;

export interface Draft {
  /** As the form has it now. */
  draft: Question;
  /** What the reply belongs to. */
  sent: Question;
  /** Counts what was sent, so that the same question can be asked again. */
  round: number;
  change(question: Question): void;
  /** Sends this question, or the one being written. */
  send(question?: Question): void;
  /** Shows the same reply in another way. */
  present(as: Presentation): void;
}

const viewOf = (question: Question) => ({ name: "explorer" as const, search: searchOf(question) });

export function useDraft(search: URLSearchParams, usualShard: string): Draft {
  const address = search.toString();
  const [draft, setDraft] = useState(() => questionOf(search, usualShard));
  const [sent, setSent] = useState(draft);
  const [round, setRound] = useState(0);
  /** The address that this page wrote itself; any other is one to go to. */
  const own = useRef(address);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const write = useCallback((question: Question, how: "push" | "replace") => {
    clearTimeout(timer.current);
    own.current = searchOf(question).toString();
    go(viewOf(question), how);
  }, []);

  useEffect(() => () => clearTimeout(timer.current), []);

  useEffect(() => {
    if (address === own.current) return;
    clearTimeout(timer.current);
    own.current = address;
    const question = questionOf(new URLSearchParams(address), usualShard);
    setDraft(question);
    setSent(question);
  }, [address, usualShard]);

  // What an address leaves open is written out, so that it means the same to whoever it is sent to.
  useEffect(() => {
    if (sent.shard !== "" && address === own.current && searchOf(sent).toString() !== address) {
      if (draft === sent) write(sent, "replace");
    }
  }, [sent, draft, address, write]);

  const change = (question: Question) => {
    setDraft(question);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => write(question, "replace"), PAUSE);
  };

  const send = (question = draft) => {
    if (!isWhole(question)) return;
    if (!isSame(question, sent)) {
      // The step back leads to what was sent before, not to its half-changed form.
      history.replaceState(history.state, "", hrefOf(viewOf(sent)));
      write(question, "push");
    }
    setDraft(question);
    setSent(question);
    setRound((count) => count + 1);
  };

  const present = (as: Presentation) => {
    setDraft({ ...draft, as });
    setSent({ ...sent, as });
    write({ ...draft, as }, "replace");
  };

  return { draft, sent, round, change, send, present };
}
