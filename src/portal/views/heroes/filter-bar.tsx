/** The filters of the heroes page: mode and patch. */

import { useEffect, useId, useMemo, useState } from "react";
import { Combobox } from "../../kit/combobox.tsx";
import { modeName } from "../../names.ts";
import { useSuggestions } from "../../search/suggestions.ts";
import { useSession } from "../../session.ts";
import { type Filters, MODES } from "./filters.ts";
import { patchesOf } from "./patches.ts";

interface Props {
  shard: string;
  filters: Filters;
  show(changes: Partial<Filters>): void;
}

export function FilterBar({ shard, filters, show }: Props) {
  const id = useId();
  return (
    <div className="row heroes-filters">
      <div className="heroes-filter">
        <label className="label" htmlFor={`${id}-mode`}>
          Mode
        </label>
        <select
          id={`${id}-mode`}
          className="input"
          value={filters.mode ?? ""}
          onChange={({ target }) => show({ mode: MODES.find((mode) => mode === target.value) })}
        >
          <option value="">All modes</option>
          {MODES.map((mode) => (
            <option key={mode} value={mode}>
              {modeName(mode)}
            </option>
          ))}
        </select>
      </div>
      <PatchFilter shard={shard} patch={filters.patch ?? ""} show={show} />
    </div>
  );
}

/** Suggests the patches seen; any other one can be typed. */
function PatchFilter({ shard, patch, show }: { patch: string } & Omit<Props, "filters">) {
  const id = useId();
  const { matchbook } = useSession();
  const [typed, setTyped] = useState(patch);
  const source = useMemo(() => patchesOf(matchbook, shard), [matchbook, shard]);
  // All of them until another one is typed.
  const { found = [] } = useSuggestions(typed === patch ? "" : typed.trim(), source);
  useEffect(() => setTyped(patch), [patch]);
  const choose = (chosen = typed.trim()) => {
    setTyped(chosen);
    if (chosen !== patch) show({ patch: chosen || undefined });
  };
  return (
    <div className="heroes-filter">
      <label className="label" htmlFor={id}>
        Patch
      </label>
      <Combobox
        id={id}
        className="input"
        placeholder="All patches"
        enterKeyHint="done"
        typed={typed}
        onType={setTyped}
        options={patch === "" ? found : ["", ...found]}
        keyOf={(one) => one}
        show={(one) => <bdi>{one || "All patches"}</bdi>}
        onPick={(one) => choose(one)}
        onEnter={() => choose()}
        onFocus={({ target }) => target.select()}
        onBlur={() => choose()}
        listLabel="Patches"
      />
    </div>
  );
}
