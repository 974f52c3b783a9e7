/** The layout of every page: heading, document title, and focus after navigation. */

import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { hasNavigated } from "../router.ts";

interface Props {
  /** The heading. */
  title: ReactNode;
  /** The document title. */
  name: string;
  /** A sentence below the heading. */
  lead?: ReactNode;
  /** Shown to the right of the heading on wide screens. */
  aside?: ReactNode;
  children: ReactNode;
}

/** Sets the document title, and focuses the heading after navigation. For pages with a head of their own. */
export function usePageHead(name: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  // Keyboard and screen reader users start at the new page. On the first load, the browser handles this.
  useEffect(() => {
    if (hasNavigated()) heading.current?.focus({ preventScroll: true });
  }, []);
  // A layout effect, so that the title changes together with the heading.
  useLayoutEffect(() => {
    document.title = name === "Matchbook" ? name : `${name} · Matchbook`;
  }, [name]);
  return heading;
}

export function Page({ title, name, lead, aside, children }: Props) {
  const heading = usePageHead(name);
  return (
    <>
      <header className="page-head">
        <div>
          <h1 className="page-title" ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p className="page-lead">{lead}</p>}
        </div>
        {aside && <div className="page-aside">{aside}</div>}
      </header>
      {children}
    </>
  );
}
