/** The filters of the heroes page: mode and patch. */

import { useEffect, useId, useRef, useState } from "react";
import { modeName } from "../../names.ts";
import { useSession } from "../../session.ts";
import { type Filters, MODES } from "./filters.ts";
import { patchesSeen } from "./patches.ts";

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
      <PatchFilter key={shard} shard={shard} patch={filters.patch} show={show} />
    </div>
  );
}

const OTHER = "\0other";

/** A list of the patches seen; any other one can be typed. */
function PatchFilter({
  shard,
  patch,
  show,
}: { patch: string | undefined } & Omit<Props, "filters">) {
  const id = useId();
  const seen = usePatches(shard);
  const [isTyping, setTyping] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isTyping) field.current?.focus();
  }, [isTyping]);
  const patches = patch === undefined || seen.includes(patch) ? seen : [patch, ...seen];
  const choose = (value: string) => {
    setTyping(value === OTHER);
    if (value !== OTHER) show({ patch: value || undefined });
  };
  return (
    <div className="heroes-filter">
      <label className="label" htmlFor={`${id}-patch`}>
        Patch
      </label>
      <select
        id={`${id}-patch`}
        className="input"
        value={isTyping ? OTHER : (patch ?? "")}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">All patches</option>
        {patches.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
        <option value={OTHER}>Another patch…</option>
      </select>
      {isTyping && (
        <form
          className="row heroes-other"
          onSubmit={(event) => {
            event.preventDefault();
            choose(field.current?.value.trim() ?? "");
          }}
        >
          <input
            ref={field}
            className="input"
            aria-label="Patch version"
            placeholder="e.g. 3.9"
            autoComplete="off"
          />
          <button type="submit" className="button">
            Show
          </button>
        </form>
      )}
    </div>
  );
}

/** By region; kept until the page is reloaded. */
const known = new Map<string, readonly string[]>();
const NONE: readonly string[] = [];

function usePatches(shard: string): readonly string[] {
  const { matchbook } = useSession();
  const [patches, setPatches] = useState(known.get(shard) ?? NONE);
  useEffect(() => {
    if (known.has(shard)) return;
    const control = new AbortController();
    patchesSeen(matchbook.shard(shard), Date.now(), control.signal).then(
      (found) => {
        known.set(shard, found);
        setPatches(found);
      },
      // Ignored: a patch can be typed.
      () => {},
    );
    return () => control.abort();
  }, [matchbook, shard]);
  return patches;
}
