/** In charge of the frame of every page: its heading, its title, and the focus after going there. */

import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { hasNavigated } from "../router.ts";

interface Props {
  /** The heading; also the title of the window, unless `name` says it shorter. */
  title: ReactNode;
  name: string;
  /** A sentence below the heading. */
  lead?: ReactNode;
  /** Stands at the right of the heading on wide screens. */
  aside?: ReactNode;
  children: ReactNode;
}

export function Page({ title, name, lead, aside, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Keyboard and screen reader begin where the new page begins. On a first load the browser does that.
  useEffect(() => {
    if (hasNavigated()) heading.current?.focus({ preventScroll: true });
  }, []);
  // Together with the heading: whoever sees the one may read the other.
  useLayoutEffect(() => {
    document.title = name === "Matchbook" ? name : `${name} · Matchbook`;
  }, [name]);
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
