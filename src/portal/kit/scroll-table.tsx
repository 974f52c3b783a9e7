/** A frame for wide tables. It scrolls sideways, and shows that there is more. */

import { type ReactNode, useEffect, useRef, useState } from "react";

/** `label` names the table for screen readers. The frame is a tab stop only while it can scroll. */
export function ScrollTable({ label, children }: { label: string; children: ReactNode }) {
  const frame = useRef<HTMLElement>(null);
  const [before, setBefore] = useState(false);
  const [after, setAfter] = useState(false);
  useEffect(() => {
    const area = frame.current;
    if (!area) return;
    const update = () => {
      setBefore(area.scrollLeft > 1);
      setAfter(area.scrollWidth - area.clientWidth - area.scrollLeft > 1);
    };
    const size = new ResizeObserver(update);
    size.observe(area);
    if (area.firstElementChild) size.observe(area.firstElementChild);
    area.addEventListener("scroll", update, { passive: true });
    return () => {
      size.disconnect();
      area.removeEventListener("scroll", update);
    };
  }, []);
  const classes = ["scroll-table", before && "has-before", after && "has-after"];
  return (
    <div className={classes.filter(Boolean).join(" ")}>
      <section
        ref={frame}
        className="frame table-frame"
        aria-label={label}
        {...((before || after) && { tabIndex: 0 })}
      >
        {children}
      </section>
      {after && <span className="scroll-cue" aria-hidden="true" />}
    </div>
  );
}
