/**
 * A collapsible JSON tree. It uses native <details> elements, which work with keyboards and screen readers.
 * Collapsed parts are not rendered, so that large documents appear quickly.
 */

import { useState } from "react";
import type { Json } from "../../../domain/json.ts";
import { isObject } from "../../../domain/json.ts";

/** The related resources of a document, which start collapsed because there are many. */
const INCLUDED = "included";

interface Props {
  value: Json;
  /** The key in an object, or undefined in a list. */
  name?: string | undefined;
  /** How many levels are initially expanded. */
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
            <span className="explorer-collapsed">{summaryOf(entries, isList)}</span>
            {close}
            {comma}
          </>
        )}
      </summary>
      {isOpen && (
        <>
          <div className="explorer-children">
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
      <span className="token-name">{JSON.stringify(name)}</span>
      {": "}
    </>
  );
}

function Leaf({ value }: { value: Json }) {
  if (Array.isArray(value)) return "[]";
  if (isObject(value)) return "{}";
  const kind = typeof value === "string" ? "string" : typeof value === "number" ? "number" : "word";
  return <span className={`token-${kind}`}>{JSON.stringify(value)}</span>;
}

/** Summary of a collapsed part: its type, ID and name if it has them, or its size. */
function summaryOf(entries: [string | undefined, Json][], isList: boolean): string {
  if (isList) return entries.length === 1 ? "1 item" : `${entries.length} items`;
  const labels = ["type", "id", "name"].flatMap((key) => {
    const [, value] = entries.find(([one]) => one === key) ?? [];
    return typeof value === "string" ? [value] : [];
  });
  if (labels.length > 0) return labels.join(" ");
  return entries.length === 1 ? "1 property" : `${entries.length} properties`;
}
