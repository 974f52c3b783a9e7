/** In charge of lists of names with a text each, such as figures that a record carries. */

import type { Pair } from "../format.ts";

export function Pairs({ pairs, className }: { pairs: readonly Pair[]; className: string }) {
  return (
    <dl className={className}>
      {pairs.map(({ key, name, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key may be there twice, and they do not move.
        <div key={at}>
          <dt title={key}>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
