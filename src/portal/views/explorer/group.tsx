/** In charge of a group of fields that can be folded away; the number of those in use stays in sight. */

import { type ReactNode, useEffect, useState } from "react";

/** On a small screen everything is folded to begin with: the reply stands below the form there. */
const isRoomy = (): boolean => matchMedia("(min-width: 60rem)").matches;

/** What most questions do without. */
const RARE = ["What to send"];

export function FieldSet({
  title,
  used,
  isWrong,
  children,
}: {
  title: string;
  /** How many of its parameters are given. */
  used: number;
  /** Whether the service complained of one of them. */
  isWrong: boolean;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(
    () => isWrong || (isRoomy() && (used > 0 || !RARE.includes(title))),
  );
  const isCalledFor = isWrong || (used > 0 && isRoomy());
  // An address that is gone to may use what was folded away.
  useEffect(() => {
    if (isCalledFor) setOpen(true);
  }, [isCalledFor]);
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
            {used} <span className="visually-hidden">in use</span>
          </span>
        )}
      </summary>
      <div className="explorer-fields">{children}</div>
    </details>
  );
}
