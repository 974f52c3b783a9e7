/** Placeholders for content that is loading, empty or failed to load. */

import type { ReactNode } from "react";
import type { Load } from "./load.ts";
import { Problem } from "./problem.tsx";
import { Skeleton } from "./skeleton.tsx";

export { Problem } from "./problem.tsx";

/** Lines of text that are loading. */
export function Loading({ label, lines = 4 }: { label: string; lines?: number }) {
  return <Skeleton label={label} count={lines} />;
}

/** Nothing was found; `children` suggest what to try. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="notice" role="status">
      <p className="notice-title">{title}</p>
      {children && <div className="notice-text">{children}</div>}
    </div>
  );
}

/** Renders a load by its state. The old content stays visible while new content loads. */
export function Loaded<T>({
  load,
  label,
  lines,
  skeleton,
  children,
}: {
  load: Load<T>;
  label: string;
  lines?: number;
  /** Shown while nothing is known; lines of text if absent. */
  skeleton?: ReactNode;
  children: (value: T) => ReactNode;
}) {
  if (load.state === "failed") return <Problem error={load.error} retry={load.retry} />;
  const value = load.value ?? load.before;
  if (value === undefined)
    return skeleton ?? <Loading label={label} {...(lines === undefined ? {} : { lines })} />;
  return (
    <div className="loaded" aria-busy={load.state === "loading"}>
      {children(value)}
    </div>
  );
}
