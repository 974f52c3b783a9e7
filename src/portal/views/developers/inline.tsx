import { Fragment } from "react";

/** Text with code between backticks. */
export function Inline({ text }: { text: string }) {
  return text.split("`").map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the order is fixed.
    at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>,
  );
}
