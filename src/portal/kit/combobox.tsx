/**
 * A text field with suggestions, by the ARIA combobox pattern: the focus stays in the field, arrow keys choose, Enter
 * takes the chosen one, Escape closes the list, and then empties the field.
 */

import "./combobox.css";
import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { counted } from "../format.ts";

interface Props<Option> extends Omit<ComponentProps<"input">, "children" | "value" | "list"> {
  typed: string;
  onType(text: string): void;
  options: readonly Option[];
  /** Also told whether Enter takes it although it is not chosen. */
  show(option: Option, isFirst: boolean): ReactNode;
  keyOf(option: Option): string;
  onPick(option: Option): void;
  /** Enter while no option is chosen. */
  onEnter(event: KeyboardEvent): void;
  /** What the list is called. */
  listLabel?: string;
  /** Above and below the options. */
  head?: string | undefined;
  note?: string | undefined;
  /** The options are those of an older text. */
  areOld?: boolean;
}

export function Combobox<Option>({
  typed,
  onType,
  options,
  show,
  keyOf,
  onPick,
  onEnter,
  listLabel = "Suggestions",
  head,
  note,
  areOld = false,
  ...input
}: Props<Option>) {
  const id = useId();
  /** Undefined while the list is closed, -1 while no option is chosen. */
  const [active, setActive] = useState<number>();
  const isShown = active !== undefined && (options.length > 0 || note !== undefined);
  const chosen = isShown ? options[active] : undefined;
  const pick = (option: Option) => {
    setActive(undefined);
    onPick(option);
  };
  const step = (by: number) => {
    const { length } = options;
    // Up from the field is the last one.
    const from = active === undefined || active < 0 ? (by > 0 ? -1 : length) : active;
    const to = length === 0 ? -1 : (from + by + length) % length;
    setActive(to);
    document.getElementById(`${id}-${to}`)?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key, nativeEvent } = event;
    if (nativeEvent.isComposing) return;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      step(key === "ArrowDown" ? 1 : -1);
    } else if (key === "Escape") {
      if (!isShown) onType("");
      setActive(undefined);
    } else if (key !== "Enter") {
      input.onKeyDown?.(event);
    } else if (chosen === undefined) {
      setActive(-1);
      onEnter(event);
    } else {
      event.preventDefault();
      pick(chosen);
    }
  };
  return (
    <>
      <input
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        {...input}
        type="text"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${active}`}
        value={typed}
        onChange={({ target }) => {
          setActive(-1);
          onType(target.value);
        }}
        onFocus={(event) => {
          setActive(-1);
          input.onFocus?.(event);
        }}
        onBlur={(event) => {
          setActive(undefined);
          input.onBlur?.(event);
        }}
        onKeyDown={onKeyDown}
      />
      <span className="visually-hidden" role="status">
        {isShown && typed !== "" && !areOld
          ? (note ?? head ?? counted(options.length, "suggestion"))
          : ""}
      </span>
      <div className="combobox-panel" hidden={!isShown}>
        {head !== undefined && <p className="combobox-note">{head}</p>}
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={listLabel}
          className="combobox-list"
          data-old={areOld}
        >
          {options.map((option, at) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, by the pattern.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
            <div
              key={keyOf(option)}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === active}
              className="combobox-option"
              // Keeps the focus in the field, which would close the list.
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => pick(option)}
            >
              {show(option, at === 0)}
            </div>
          ))}
        </div>
        {note !== undefined && <p className="combobox-note">{note}</p>}
      </div>
    </>
  );
}
