/**
 * In charge of JSON that can be folded: native disclosure elements, which every keyboard and screen
 * reader knows. What is folded is not drawn at all, so that a large document is there at once.
 */

import { useState } from "react";
import type { Json } from "../../../domain/json.ts";
import { isObject } from "../../../domain/json.ts";

/** What a document carries beside its records is much, and folded further. */
const INCLUDED = "included";

interface Props {
  value: Json;
  /** The key in an object, or undefined in a list. */
  name?: string | undefined;
  /** How many levels are unfolded to begin with. */
  depth: number;
  isLast?: boolean;
}

export function Tree({ value, name, depth, isLast = true }: Props) {
  const isList = Array.isArray(value);
  const entries: [string | undefined, Json][] = isList
    ? value.map((one) => [undefined, one])
    : isObject(value)
      ? Object.entries(value)
      : [];
  if (entries.length === 0) {
    return (
      <div className="explorer-leaf">
        <Name name={name} />
        <Leaf value={value} />
        {!isLast && ","}
      </div>
    );
  }
  return <Branch {...{ entries, isList, name, depth, isLast }} />;
}

function Branch({
  entries,
  isList,
  name,
  depth,
  isLast,
}: {
  entries: [string | undefined, Json][];
  isList: boolean;
  name: string | undefined;
  depth: number;
  isLast: boolean;
}) {
  const [isOpen, setOpen] = useState(depth > 0);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const comma = isLast ? "" : ",";
  return (
    <details
      className="explorer-branch"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Name name={name} />
        {open}
        {!isOpen && (
          <>
            <span className="explorer-folded">{summaryOf(entries, isList)}</span>
            {close}
            {comma}
          </>
        )}
      </summary>
      {isOpen && (
        <>
          <div className="explorer-twigs">
            {entries.map(([key, one], at) => (
              <Tree
                key={key ?? at}
                value={one}
                name={key}
                depth={depth - (key === INCLUDED ? 3 : 1)}
                isLast={at === entries.length - 1}
              />
            ))}
          </div>
          <div className="explorer-closing">
            {close}
            {comma}
          </div>
        </>
      )}
    </details>
  );
}

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <>
      <span className="explorer-key">{JSON.stringify(name)}</span>
      {": "}
    </>
  );
}

function Leaf({ value }: { value: Json }) {
  if (Array.isArray(value)) return "[]";
  if (isObject(value)) return "{}";
  const kind = typeof value === "string" ? "text" : typeof value === "number" ? "number" : "word";
  return <span className={`explorer-value-${kind}`}>{JSON.stringify(value)}</span>;
}

/** What a folded part holds: what it is called by, if it says so, else how much it is. */
function summaryOf(entries: [string | undefined, Json][], isList: boolean): string {
  if (isList) return entries.length === 1 ? "1 item" : `${entries.length} items`;
  const said = ["type", "id", "name"].flatMap((key) => {
    const [, value] = entries.find(([one]) => one === key) ?? [];
    return typeof value === "string" ? [value] : [];
  });
  if (said.length > 0) return said.join(" ");
  return entries.length === 1 ? "1 member" : `${entries.length} members`;
}
