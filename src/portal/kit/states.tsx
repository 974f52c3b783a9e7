/** Placeholders for content that is loading, empty or failed to load. */

import type { ReactNode } from "react";
import type { Load } from "./load.ts";
import { Problem } from "./problem.tsx";
import { Skeleton, type SkeletonProps } from "./skeleton.tsx";

export { Problem } from "./problem.tsx";

/** Nothing was found; `children` suggest what to try. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="notice" role="status">
      <p className="notice-title">{title}</p>
      {children && <div className="notice-text">{children}</div>}
    </div>
  );
}

export const NoRegions = () => (
  <Empty title="No regions yet">
    <p>Regions appear once match data is loaded.</p>
  </Empty>
);

interface LoadedProps<T> extends SkeletonProps {
  load: Load<T>;
  children: (value: T) => ReactNode;
}

/** Renders a load by its state, as a skeleton at first. The old content stays visible while new content loads. */
export function Loaded<T>({ load, children, ...skeleton }: LoadedProps<T>) {
  if (load.state === "failed") return <Problem error={load.error} retry={load.retry} />;
  const value = load.value ?? load.before;
  if (value === undefined) return <Skeleton {...skeleton} />;
  return (
    <div className="loaded" aria-busy={load.state === "loading"}>
      {children(value)}
    </div>
  );
}
