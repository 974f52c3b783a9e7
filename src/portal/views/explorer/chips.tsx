/**
 * A list of values as chips, with a field to add more. With suggestions, the field is an ARIA combobox:
 * the focus stays in the field while the arrow keys move through the suggestions.
 */

import { type KeyboardEvent, useRef, useState } from "react";
import { counted } from "../../format.ts";
import type { ControlProps } from "./controls.tsx";
import { added, endsItem, itemsIn, itemsTyped, listOf } from "./lists.ts";
import { type Suggest, useSuggestions } from "./suggest.ts";

interface Props extends ControlProps {
  /** What one item is called: "name". */
  item: string;
  suggest?: Suggest | undefined;
}

export function Chips({ field, value, onChange, placeholder, item, suggest }: Props) {
  const { id, describedBy, isWrong } = field;
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(-1);
  const [isShut, setShut] = useState(true);
  const input = useRef<HTMLInputElement>(null);
  const items = itemsIn(value);
  const suggestions = useSuggestions(typed, suggest).filter((text) => !items.includes(text));
  const isOpen = !isShut && suggestions.length > 0;
  const current = isOpen ? suggestions[active] : undefined;

  const take = (more: readonly string[]) => {
    if (more.length > 0) onChange(listOf(added(items, more)));
    setTyped("");
    setActive(-1);
    setShut(true);
  };
  const type = (text: string) => {
    if (endsItem(text)) return take(itemsTyped(text));
    setTyped(text);
    setActive(-1);
    setShut(false);
  };
  const drop = (gone: string) => {
    onChange(listOf(items.filter((one) => one !== gone)));
    input.current?.focus();
  };
  const step = (by: number) => {
    const count = suggestions.length;
    setShut(false);
    // Past either end, the selection returns to the field.
    setActive((at) => ((at + 1 + by + count + 1) % (count + 1)) - 1);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    if (key === "Enter" && typed.trim() !== "") take(current ? [current] : itemsTyped(typed));
    else if (key === "ArrowDown" && suggestions.length > 0) step(1);
    else if (key === "ArrowUp" && suggestions.length > 0) step(-1);
    else if (key === "Escape" && isOpen) {
      setShut(true);
      setActive(-1);
    } else if (key === "Backspace" && typed === "" && items.length > 0) {
      onChange(listOf(items.slice(0, -1)));
    } else return;
    event.preventDefault();
  };

  return (
    <div className="explorer-chips">
      <div className="input explorer-chips-frame" data-wrong={isWrong}>
        {items.length > 0 && (
          <ul className="explorer-chips-list" aria-label={`Selected: ${items.length}`}>
            {items.map((one) => (
              <li key={one} className="explorer-chip">
                <span className="explorer-chip-text">{one}</span>
                <button type="button" aria-label={`Remove ${one}`} onClick={() => drop(one)}>
                  <span aria-hidden="true">×</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <input
          id={id}
          ref={input}
          className="explorer-chips-input"
          value={typed}
          onChange={({ target }) => type(target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => take(itemsTyped(typed))}
          placeholder={items.length === 0 ? placeholder : `Add another ${item}`}
          enterKeyHint="enter"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-describedby={describedBy}
          aria-invalid={isWrong}
          {...(suggest && {
            role: "combobox",
            "aria-autocomplete": "list" as const,
            "aria-expanded": isOpen,
            "aria-controls": `${id}-list`,
            "aria-activedescendant": current === undefined ? undefined : `${id}-${active}`,
          })}
        />
      </div>
      {suggest && (
        <>
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label={`Suggested ${item}s`}
            className="explorer-suggestions"
            hidden={!isOpen}
          >
            {suggestions.map((text, at) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
              <div
                key={text}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === active}
                tabIndex={-1}
                // Keeps the focus in the field: losing it would add the typed text as a chip.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => take([text])}
              >
                {text}
              </div>
            ))}
          </div>
          <span className="visually-hidden" role="status">
            {isOpen ? counted(suggestions.length, "suggestion") : ""}
          </span>
        </>
      )}
    </div>
  );
}
