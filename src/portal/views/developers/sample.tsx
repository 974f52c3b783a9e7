/** A request as code, in the language that the visitor selected, ready to copy and run. */

import "./sample.css";
import { useShownKey } from "../../key.tsx";
import { Code, type Language as Highlighting } from "../../kit/code.tsx";
import { CopyButton } from "../../kit/copy.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { useSession } from "../../session.ts";
import { codeOf, codeOfPath } from "../explorer/code.ts";
import type { Query } from "../explorer/query.ts";
import { LANGUAGES, type Language, setLanguage, useLanguage } from "./language.ts";
import { curlOf, fetchOf, KEY_PLACEHOLDER, pythonOf } from "./samples.ts";

interface Props {
  /** The path and query string. */
  path: string;
  /** The same as a query, if the explorer has it: then the TypeScript uses the client's methods. */
  query?: Query;
  needsKey?: boolean;
}

const HIGHLIGHTING: Readonly<Record<Language, Highlighting>> = {
  curl: "shell",
  typescript: "typescript",
  python: "python",
  fetch: "javascript",
};

/** The key is shown masked, but copied whole: what is copied works. */
export function Sample({ path, query, needsKey = true }: Props) {
  const { key, offeredKey } = useSession();
  const language = useLanguage();
  const ownKey = useShownKey();
  // The demo key is no secret.
  const usedKey = key ?? offeredKey ?? KEY_PLACEHOLDER;
  const shownKey = key === undefined ? usedKey : ownKey;
  const url = location.origin + path;
  const write = (used: string): string => {
    const request = { url, key: needsKey ? used : undefined };
    switch (language) {
      case "curl":
        return curlOf(request);
      case "fetch":
        return fetchOf(request);
      case "python":
        return pythonOf(request);
      case "typescript":
        return query
          ? codeOf(query, location.origin, used)
          : codeOfPath(path, location.origin, needsKey ? used : undefined);
    }
  };
  const { label } = LANGUAGES.find(({ value }) => value === language)!;
  return (
    <div className="stack sample">
      <div className="section-head">
        <Segmented label="Language" options={LANGUAGES} value={language} onChange={setLanguage} />
        <CopyButton
          text={write(usedKey)}
          label={`Copy ${label === "curl" ? "curl command" : label}`}
        />
      </div>
      <Code
        language={HIGHLIGHTING[language]}
        text={write(shownKey)}
        label={`${path.split("?")[0]} in ${label}`}
      />
    </div>
  );
}
