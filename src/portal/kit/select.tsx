/** A field to choose from a list, with its label. */

import { useId } from "react";

interface Props {
  label: string;
  className: string;
  isSmall?: boolean;
  value: string;
  /** Values and what they are called. */
  options: readonly (readonly [string, string])[];
  isDisabled?: boolean;
  onChange(value: string): void;
}

export function Select({ label, className, isSmall = false, options, onChange, ...rest }: Props) {
  const id = useId();
  return (
    <span className={className}>
      <label className={isSmall ? "" : "label"} htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className={isSmall ? "input input-small" : "input"}
        value={rest.value}
        disabled={rest.isDisabled}
        onChange={({ target }) => onChange(target.value)}
      >
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
