/** The filters of the heroes page: mode and patch. */

import { useEffect, useId, useMemo, useState } from "react";
import { Combobox } from "../../kit/combobox.tsx";
import { Select } from "../../kit/select.tsx";
import { modeName } from "../../names.ts";
import { patchesOf } from "../../search/patches.ts";
import { useSuggestions } from "../../search/suggestions.ts";
import { useSession } from "../../session.ts";
import { type Filters, MODES } from "./filters.ts";

export interface FilterProps {
  shard: string;
  filters: Filters;
  show(changes: Partial<Filters>): void;
}

export function FilterBar({ shard, filters, show }: FilterProps) {
  return (
    <div className="row heroes-filters">
      <Select
        className="heroes-filter"
        label="Mode"
        value={filters.mode ?? ""}
        options={[["", "All modes"], ...MODES.map((mode) => [mode, modeName(mode)] as const)]}
        onChange={(value) => show({ mode: MODES.find((mode) => mode === value) })}
      />
      <PatchFilter shard={shard} patch={filters.patch ?? ""} show={show} />
    </div>
  );
}

/** Suggests the patches seen; any other one can be typed. */
function PatchFilter({ shard, patch, show }: { patch: string } & Omit<FilterProps, "filters">) {
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
