/** A collapsible group of fields that shows how many of them are set. */

import { type ReactNode, useEffect, useState } from "react";

/** On small screens all groups start collapsed, because the response is below the form. */
const isWideScreen = (): boolean => matchMedia("(min-width: 60rem)").matches;

/** Groups that start collapsed because most queries don't need them. */
const COLLAPSED = ["Response content"];

export function FieldSet({
  title,
  used,
  isWrong,
  children,
}: {
  title: string;
  /** How many of its parameters are set. */
  used: number;
  /** Whether the server rejected one of them. */
  isWrong: boolean;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(
    () => isWrong || (isWideScreen() && (used > 0 || !COLLAPSED.includes(title))),
  );
  const isNeeded = isWrong || (used > 0 && isWideScreen());
  // Navigation may set fields in a collapsed group.
  useEffect(() => {
    if (isNeeded) setOpen(true);
  }, [isNeeded]);
  return (
    <details
      className="explorer-group card"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="explorer-group-title">
        <h2>{title}</h2>
        {used > 0 && (
          <span className="explorer-used">
            {used} <span className="visually-hidden">set</span>
          </span>
        )}
      </summary>
      <div className="explorer-fields">{children}</div>
    </details>
  );
}
