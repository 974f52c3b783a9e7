/** A button beside or inside other content. */

import type { ComponentProps } from "react";

export const SmallButton = ({ className = "", ...rest }: ComponentProps<"button">) => (
  <button {...rest} type="button" className={`button button-small ${className}`} />
);
