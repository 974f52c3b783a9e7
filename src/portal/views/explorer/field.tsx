/** A form field: label, parameter name, control, hint and errors from the server. */

import { type ReactNode, useId } from "react";

/** Connects a control with its label, hint and errors. */
interface FieldContext {
  id: string;
  "aria-describedby": string;
  "aria-invalid": boolean;
}

/** What every control is given. */
export interface ControlProps {
  field: FieldContext;
  value: string | undefined;
  /** Undefined removes the parameter from the query. */
  onChange(value: string | undefined): void;
  placeholder?: string | undefined;
}

interface Props {
  label: string;
  /** The name of the parameter in the query. */
  name?: string;
  hint?: string | undefined;
  problems?: readonly string[];
  /** Several controls under one label. */
  isGroup?: boolean | undefined;
  children(field: FieldContext): ReactNode;
}

export function Field({ label, name, hint, problems = [], isGroup = false, children }: Props) {
  const id = useId();
  const isWrong = problems.length > 0;
  const describedBy = `${id}-hint ${id}-problems`;
  const [Frame, Title] = isGroup ? (["fieldset", "legend"] as const) : (["div", "label"] as const);
  return (
    <Frame
      className={`stack explorer-field${isWrong ? " explorer-wrong" : ""}`}
      {...(isGroup && { "aria-describedby": describedBy })}
    >
      <Title className="explorer-title" {...(!isGroup && { htmlFor: id })}>
        <span className="explorer-label">{label}</span>{" "}
        {name && <code className="explorer-name">{name}</code>}
      </Title>
      {children({ id, "aria-describedby": describedBy, "aria-invalid": isWrong })}
      {hint && (
        <p id={`${id}-hint`} className="explorer-hint">
          {hint}
        </p>
      )}
      <div id={`${id}-problems`} className="explorer-problems">
        {problems.map((problem) => (
          <p key={problem}>{problem}</p>
        ))}
      </div>
    </Frame>
  );
}

interface SelectProps {
  label: string;
  value: string;
  /** Values, and their labels if these differ. */
  options: readonly (string | readonly [value: string, label: string])[];
  onChange(value: string): void;
}

export function SelectField({ label, value, options, onChange }: SelectProps) {
  return (
    <Field label={label}>
      {({ id }) => (
        <select
          id={id}
          className="input"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        >
          {options.map((option) => {
            const [one, shown = one] = [option].flat();
            return (
              <option key={one} value={one}>
                {shown}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}
