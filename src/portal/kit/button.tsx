/** A button of the portal. */

import type { ComponentProps } from "react";

interface Props extends ComponentProps<"button"> {
  /** "main": what most visitors want. "plain": without a frame. */
  look?: "main" | "small" | "plain" | undefined;
}

export function Button({ look, className, ...rest }: Props) {
  const classes = ["button", look && `button-${look}`, className].filter(Boolean);
  return <button type="button" {...rest} className={classes.join(" ")} />;
}
