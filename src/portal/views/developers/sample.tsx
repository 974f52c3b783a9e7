/** A request as code, in the language that the visitor selected, ready to copy and run. */

import "./sample.css";
import { useShownKey } from "../../key.tsx";
import { Code } from "../../kit/code.tsx";
import { CopyButton } from "../../kit/copy.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { useSession } from "../../session.ts";
import { LANGUAGES, setLanguage, useLanguage } from "./language.ts";

/** `path` has the query string too. The key is shown masked, but copied whole: what is copied works. */
export function Sample({ path, needsKey = true }: { path: string; needsKey?: boolean }) {
  const { key, offeredKey } = useSession();
  const { value, label, highlighting, write } = useLanguage();
  const shownKey = useShownKey();
  // The demo key is no secret.
  const usedKey = key ?? offeredKey ?? shownKey;
  const written = (used: string) =>
    write({ url: location.origin + path, key: needsKey ? used : undefined });
  return (
    <div className="stack sample">
      <div className="section-head">
        <Segmented label="Language" options={LANGUAGES} value={value} onChange={setLanguage} />
        <CopyButton
          text={written(usedKey)}
          label={`Copy ${value === "curl" ? "curl command" : label}`}
        />
      </div>
      <Code
        language={highlighting}
        text={written(key === undefined ? usedKey : shownKey)}
        label={`${path.split("?")[0]} in ${label}`}
      />
    </div>
  );
}
