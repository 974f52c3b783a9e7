/** Form controls: text, numbers, radio choices, toggles, date and time. */

import { useState } from "react";
import { GAME_MODES } from "../../../domain/modes.ts";
import { modeName } from "../../names.ts";
import type { FieldContext } from "./field.tsx";
import { itemsIn, listOf, toggled } from "./lists.ts";
import { isoOf, localOf } from "./local-time.ts";

export interface ControlProps {
  field: FieldContext;
  value: string | undefined;
  /** Undefined removes the parameter from the query. */
  onChange(value: string | undefined): void;
  placeholder?: string | undefined;
}

interface TextProps extends ControlProps {
  isNumber?: boolean;
  onTyping?(isTyping: boolean): void;
}

export function TextControl({
  field: { id, describedBy, isWrong },
  value,
  onChange,
  placeholder,
  isNumber = false,
  onTyping,
}: TextProps) {
  return (
    <input
      id={id}
      className="input"
      type="text"
      inputMode={isNumber ? "numeric" : "text"}
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      onFocus={() => onTyping?.(true)}
      onBlur={() => onTyping?.(false)}
      placeholder={placeholder}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      aria-describedby={describedBy}
      aria-invalid={isWrong}
    />
  );
}

interface Choice {
  value: string;
  label: string;
}

/** Radio buttons. A value that is not among the choices leaves all unchecked. */
export function Choices({
  name,
  choices,
  value,
  onChange,
  isSquare = false,
}: {
  name: string;
  choices: readonly Choice[];
  /** Two per row, for choices that do not fit in one row. */
  isSquare?: boolean;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <div className={`explorer-choices${isSquare ? " explorer-square" : ""}`}>
      {choices.map((choice) => (
        <label key={choice.value} className="explorer-choice">
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>{choice.label}</span>
        </label>
      ))}
    </div>
  );
}

/** The default is left out of the query. */
export function SortControl({ field, value, onChange }: ControlProps) {
  const choices = [
    { value: "-createdAt", label: "Newest first" },
    { value: "createdAt", label: "Oldest first" },
  ];
  return (
    <Choices
      name={field.id}
      choices={choices}
      value={value ?? "createdAt"}
      onChange={(chosen) => onChange(chosen === "createdAt" ? undefined : chosen)}
    />
  );
}

export function Toggles({
  items,
  chosen,
  labelOf,
  onChange,
}: {
  items: readonly string[];
  chosen: readonly string[];
  labelOf(item: string): string;
  onChange(chosen: string[]): void;
}) {
  return (
    <div className="explorer-toggles">
      {items.map((item) => (
        <label key={item} className="explorer-toggle" title={item}>
          <input
            type="checkbox"
            checked={chosen.includes(item)}
            onChange={() => onChange(toggled(chosen, item))}
          />
          <span>{labelOf(item)}</span>
        </label>
      ))}
    </div>
  );
}

/** Also shows unknown modes from the URL, so that they can be removed. */
export function ModesControl({ value, onChange }: ControlProps) {
  const chosen = itemsIn(value);
  const unknown = chosen.filter((mode) => !GAME_MODES.some((known) => known === mode));
  return (
    <Toggles
      items={[...GAME_MODES, ...unknown]}
      chosen={chosen}
      labelOf={(mode) => (unknown.includes(mode) ? mode : modeName(mode))}
      onChange={(modes) => onChange(listOf(modes))}
    />
  );
}

/** An invalid time is shown as text until the field is left with a valid one. */
export function DateTimeControl({ field, value, onChange }: ControlProps) {
  const local = value === undefined ? "" : localOf(value);
  const [isTyped, setTyped] = useState(false);
  if (local === undefined || isTyped) {
    return <TextControl {...{ field, value, onChange }} onTyping={setTyped} />;
  }
  const { id, describedBy, isWrong } = field;
  return (
    <input
      id={id}
      className="input"
      type="datetime-local"
      step={1}
      min="0001-01-01T00:00"
      max="9999-12-31T23:59"
      value={local}
      onChange={({ target }) => onChange(isoOf(target.value))}
      aria-describedby={describedBy}
      aria-invalid={isWrong}
    />
  );
}
