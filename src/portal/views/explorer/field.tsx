/** A form field: label, parameter name, control, hint and errors from the server. */

import { type ReactNode, useId } from "react";

/** Connects a control with its label, hint and errors. */
export interface FieldContext {
  id: string;
  describedBy: string;
  isWrong: boolean;
}

interface Props {
  label: string;
  /** The name of the parameter in the query. */
  name?: string;
  hint?: string | undefined;
  problems: readonly string[];
  /** Several controls under one label. */
  isGroup?: boolean;
  children(field: FieldContext): ReactNode;
}

export function Field({ label, name, hint, problems, isGroup, children }: Props) {
  const id = useId();
  const isWrong = problems.length > 0;
  const field = { id, describedBy: `${id}-hint ${id}-problems`, isWrong };
  const title = (
    <>
      <span className="explorer-label">{label}</span>{" "}
      {name && <code className="explorer-name">{name}</code>}
    </>
  );
  const content = (
    <>
      {children(field)}
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
    </>
  );
  const className = `stack explorer-field${isWrong ? " explorer-wrong" : ""}`;
  return isGroup ? (
    <fieldset className={className} aria-describedby={field.describedBy}>
      <legend className="explorer-title">{title}</legend>
      {content}
    </fieldset>
  ) : (
    <div className={className}>
      <label className="explorer-title" htmlFor={id}>
        {title}
      </label>
      {content}
    </div>
  );
}
