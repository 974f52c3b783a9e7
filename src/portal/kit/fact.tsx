/** A name and its value in a list of the class `facts`. A value that is not known yet keeps its room. */

import type { ReactNode } from "react";

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children ?? "\u00a0"}</dd>
  </div>
);
