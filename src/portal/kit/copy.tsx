/** In charge of the button that copies a text. */

import { useEffect, useState } from "react";

/** `label` says what is copied: "Copy the curl line". */
export function Copy({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState<"" | "Copied" | "Select and copy it by hand">("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    // Without HTTPS, browsers let pages of other machines copy nothing.
    if (!navigator.clipboard) return setSaid("Select and copy it by hand");
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied"),
      () => setSaid("Select and copy it by hand"),
    );
  };
  return (
    <span className="copy">
      <button type="button" className="button button-small" aria-label={label} onClick={copy}>
        {said === "Copied" ? "Copied" : "Copy"}
      </button>
      <span className={said === "Copied" ? "visually-hidden" : "copy-said"} role="status">
        {said}
      </span>
    </span>
  );
}
