/** A button that copies text to the clipboard. */

import { useEffect, useState } from "react";

const COPIED = "Copied";
const FAILED = "Copy failed. Select the text instead.";

/** `label` is the accessible name, such as "Copy curl command". */
export function Copy({ text, label }: { text: string; label: string }) {
  const [message, setMessage] = useState("");
  useEffect(() => {
    if (message === "") return;
    const timer = setTimeout(() => setMessage(""), 2500);
    return () => clearTimeout(timer);
  }, [message]);
  const copy = () => {
    // Browsers offer no clipboard to pages without HTTPS, except on localhost.
    if (!navigator.clipboard) return setMessage(FAILED);
    navigator.clipboard.writeText(text).then(
      () => setMessage(COPIED),
      () => setMessage(FAILED),
    );
  };
  return (
    <span className="copy">
      <button type="button" className="button button-small" aria-label={label} onClick={copy}>
        {message === COPIED ? COPIED : "Copy"}
      </button>
      <span className={message === COPIED ? "visually-hidden" : "copy-message"} role="status">
        {message}
      </span>
    </span>
  );
}
