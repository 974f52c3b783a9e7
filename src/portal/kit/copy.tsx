/** Copies text to the clipboard: a button, and what it is built from. */

import { type ReactNode, useEffect, useState } from "react";
import { Button } from "./button.tsx";

const FAILED = "Copy failed. Select the text instead.";

interface Props {
  text: string;
  /** The accessible name: "Copy curl command". */
  label: string;
  /** The visible text; "Copy" if absent. */
  children?: ReactNode;
}

export function CopyButton({ text, label, children = "Copy" }: Props) {
  const { message, copy } = useCopy();
  return (
    <span className="copy">
      <Button look="small" aria-label={label} onClick={() => copy(text)}>
        {children}
      </Button>
      <CopyMessage>{message}</CopyMessage>
    </span>
  );
}

/** Below the button that is in the same element of class `copy`. It takes no room, so nothing beside it moves. */
export const CopyMessage = ({ children }: { children: string }) => (
  <span className="copy-message" role="status">
    {children}
  </span>
);

/** `message` is empty until something was copied, and again after a while. */
export function useCopy(): { message: string; copy(text: string): void } {
  const [message, setMessage] = useState("");
  useEffect(() => {
    if (message === "") return;
    const timer = setTimeout(() => setMessage(""), 2500);
    return () => clearTimeout(timer);
  }, [message]);
  const copy = (text: string) => {
    // Browsers offer no clipboard to pages without HTTPS, except on localhost.
    if (!navigator.clipboard) return setMessage(FAILED);
    navigator.clipboard.writeText(text).then(
      () => setMessage("Copied"),
      () => setMessage(FAILED),
    );
  };
  return { message, copy };
}
