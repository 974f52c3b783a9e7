/** A name from a record. Characters of another direction in it do not change what is beside it. */

import { withoutIsolates } from "../../text/isolated.ts";

export const Name = ({ children, className }: { children: string; className?: string }) => (
  <bdi className={className}>{withoutIsolates(children)}</bdi>
);
