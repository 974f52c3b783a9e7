/** The query as a URL, a curl command or TypeScript, ready to copy. */

import { useId, useState } from "react";
import { Copy } from "../../kit/copy.tsx";
import { useSession } from "../../session.ts";
import { codeOf } from "./code.ts";
import { Choices } from "./controls.tsx";
import type { Query } from "./query.ts";
import { curlOf, KEY_PLACEHOLDER, pathOf } from "./request.ts";

const FORMS = [
  { value: "url", label: "URL" },
  { value: "curl", label: "curl" },
  { value: "code", label: "TypeScript" },
] as const;
type Form = (typeof FORMS)[number]["value"];

const COPIED: Readonly<Record<Form, string>> = {
  url: "Copy URL",
  curl: "Copy curl command",
  code: "Copy TypeScript",
};

export function Snippet({ query }: { query: Query }) {
  const { key } = useSession();
  const [form, setForm] = useState<Form>("url");
  const [isKeyShown, setKeyShown] = useState(false);
  const id = useId();
  const shownKey = (isKeyShown && key) || KEY_PLACEHOLDER;
  const url = `${location.origin}${pathOf(query)}`;
  const text = {
    url: () => url,
    curl: () => curlOf(url, shownKey),
    code: () => codeOf(query, location.origin, shownKey),
  }[form]();
  return (
    <section className="explorer-snippet card" aria-label="Code">
      <div className="explorer-bar">
        <fieldset className="explorer-plain">
          <legend className="visually-hidden">Show query as</legend>
          <Choices
            name={id}
            choices={FORMS}
            value={form}
            onChange={(one) => setForm(one as Form)}
          />
        </fieldset>
        <div className="explorer-bar-end">
          {key && form !== "url" && (
            <label className="explorer-check">
              <input
                type="checkbox"
                checked={isKeyShown}
                onChange={({ target }) => setKeyShown(target.checked)}
              />
              Show my key
            </label>
          )}
          <Copy text={text} label={COPIED[form]} />
        </div>
      </div>
      <section
        className={`code explorer-code explorer-code-${form}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard.
        tabIndex={0}
        aria-label="Query code"
      >
        <code>{text}</code>
      </section>
    </section>
  );
}
