/** Form controls: text, numbers, radio choices, toggles, date and time. */

import { type KeyboardEvent, useState } from "react";
import { GAME_MODES } from "../../../domain/modes.ts";
import { Segmented } from "../../kit/segmented.tsx";
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

type Choice = { value: string; label: string };

const SORTS: readonly Choice[] = [
  { value: "-createdAt", label: "Newest first" },
  { value: "createdAt", label: "Oldest first" },
];
const PERIODS: readonly Choice[] = [
  { value: "all", label: "All time" },
  { value: "28d", label: "28 days" },
];

/** The default is left out of the query. */
function DefaultedChoices({
  label,
  control: { value, onChange },
  choices,
  byDefault,
}: {
  label: string;
  control: ControlProps;
  choices: readonly Choice[];
  byDefault: string;
}) {
  return (
    <Segmented
      label={label}
      options={choices}
      value={value ?? byDefault}
      onChange={(chosen) => onChange(chosen === byDefault ? undefined : chosen)}
    />
  );
}

export const SortControl = (control: ControlProps) => (
  <DefaultedChoices label="Sort" control={control} choices={SORTS} byDefault="createdAt" />
);

export const PeriodControl = (control: ControlProps) => (
  <DefaultedChoices label="Period" control={control} choices={PERIODS} byDefault="all" />
);

const ARROWS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

/** Checkboxes in a row. They are one tab stop: the arrow keys move between them. */
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
  const [current, setCurrent] = useState(0);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const by = ARROWS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const inputs = [...event.currentTarget.querySelectorAll("input")];
    const at = inputs.indexOf(event.target as HTMLInputElement);
    inputs[(at + by + inputs.length) % inputs.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the checkboxes in it have the focus.
    <div className="explorer-toggles" onKeyDown={move}>
      {items.map((item, at) => (
        <label key={item} className="explorer-toggle" title={item}>
          <input
            type="checkbox"
            tabIndex={at === Math.min(current, items.length - 1) ? 0 : -1}
            checked={chosen.includes(item)}
            onFocus={() => setCurrent(at)}
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
