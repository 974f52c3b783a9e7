/** A list of names and values, such as the stats of a record. */

import type { ReactNode } from "react";

interface Pair {
  /** In the record, shown on hover. */
  key?: string;
  name: string;
  text: ReactNode;
}

export function Pairs({ pairs, className }: { pairs: readonly Pair[]; className: string }) {
  return (
    <dl className={className}>
      {pairs.map(({ key, name, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key may appear twice, and the order is fixed.
        <div key={at}>
          <dt title={key}>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
