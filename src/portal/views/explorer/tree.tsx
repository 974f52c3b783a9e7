/**
 * A collapsible JSON tree. It uses native <details> elements, which work with keyboards and screen readers.
 * Collapsed parts are not rendered, so that large documents appear quickly.
 */

import { useState } from "react";
import { isObject, type Json } from "../../../domain/json.ts";
import { counted } from "../../format.ts";

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
  const [isOpen, setOpen] = useState(depth > 0);
  const isList = Array.isArray(value);
  const entries: [string | undefined, Json][] = isList
    ? value.map((one) => [undefined, one])
    : isObject(value)
      ? Object.entries(value)
      : [];
  const comma = isLast ? "" : ",";
  const title = name !== undefined && (
    <>
      <span className="token-name">{JSON.stringify(name)}</span>
      {": "}
    </>
  );
  if (entries.length === 0) {
    return (
      <div className="explorer-leaf">
        {title}
        <Leaf value={value} />
        {comma}
      </div>
    );
  }
  const [open, close] = isList ? "[]" : "{}";
  return (
    <details
      className="explorer-branch"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {title}
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

function Leaf({ value }: { value: Json }) {
  if (Array.isArray(value)) return "[]";
  if (isObject(value)) return "{}";
  const kind = { string: "string", number: "number" }[typeof value as string] ?? "word";
  return <span className={`token-${kind}`}>{JSON.stringify(value)}</span>;
}

/** Summary of a collapsed part: its type, ID and name if it has them, or its size. */
function summaryOf(entries: [string | undefined, Json][], isList: boolean): string {
  const labels = ["type", "id", "name"]
    .map((label) => entries.find(([key]) => key === label)?.[1])
    .filter((one) => typeof one === "string");
  if (labels.length > 0) return labels.join(" ");
  return isList
    ? counted(entries.length, "item")
    : counted(entries.length, "property", "properties");
}
