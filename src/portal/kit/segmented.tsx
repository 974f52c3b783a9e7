/** A choice of few values, shown side by side. One tab stop; arrow keys change the value. */

import { type ReactNode, useId } from "react";

interface Props<T extends string> {
  /** What is chosen, for screen readers: "Mode". */
  label: string;
  options: readonly { value: T; label: ReactNode }[];
  value: T;
  onChange(value: T): void;
}

export function Segmented<T extends string>({ label, options, value, onChange }: Props<T>) {
  const group = useId();
  return (
    <fieldset className="segmented">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="segment">
          <input
            type="radio"
            className="visually-hidden"
            name={group}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span className="segment-text">{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
