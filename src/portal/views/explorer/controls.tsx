/** In charge of the simple controls: text and numbers, a choice of one, toggles, a date and time. */

import { useState } from "react";
import { GAME_MODES } from "../../../domain/modes.ts";
import { modeName } from "../../names.ts";
import type { FieldContext } from "./field.tsx";
import { itemsIn, listOf, toggled } from "./lists.ts";
import { isoOf, localOf } from "./local-time.ts";

export interface ControlProps {
  field: FieldContext;
  value: string | undefined;
  /** Undefined takes the parameter out of the query. */
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

/** One of a few, all in sight. A value that is none of them leaves all unchosen. */
export function Choices({
  name,
  choices,
  value,
  onChange,
  isSquare = false,
}: {
  name: string;
  choices: readonly Choice[];
  /** Two beside each other, where all of them would not fit. */
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

/** The default is not written: what is left out means it. */
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

/** A mode that is not in the list is shown as well, so that it can be taken out. */
export function ModesControl({ value, onChange }: ControlProps) {
  const chosen = itemsIn(value);
  const strangers = chosen.filter((mode) => !GAME_MODES.some((known) => known === mode));
  return (
    <Toggles
      items={[...GAME_MODES, ...strangers]}
      chosen={chosen}
      labelOf={(mode) => (strangers.includes(mode) ? mode : modeName(mode))}
      onChange={(modes) => onChange(listOf(modes))}
    />
  );
}

/** A value that is no time is shown as the text it is until the field is left with a good one. */
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
