/** A list of values as chips, with a field that adds more, typed or suggested. */

import { useRef, useState } from "react";
import { Combobox } from "../../kit/combobox.tsx";
import { type Source, useSuggestions } from "../../search/suggestions.ts";
import type { ControlProps } from "./field.tsx";
import { added, endsItem, itemsIn, itemsTyped, listOf } from "./lists.ts";

/** A suggested value, and how it is shown if not as it is. */
export interface Choice {
  value: string;
  label?: string;
}

interface Props extends ControlProps {
  /** What one item is called: "name". */
  item: string;
  source: Source<readonly Choice[]> | undefined;
}

export function Chips({ field, value, onChange, placeholder, item, source }: Props) {
  const [typed, setTyped] = useState("");
  const [isFocused, setFocused] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const items = itemsIn(value);
  const { found = [], isLoading } = useSuggestions(typed.trim(), isFocused ? source : undefined);
  const take = (more: readonly string[]) => {
    setTyped("");
    if (more.length > 0) onChange(listOf(added(items, more)));
  };
  const drop = (gone: string) => {
    onChange(listOf(items.filter((one) => one !== gone)));
    input.current?.focus();
  };
  return (
    <div className="explorer-chips">
      <div className="input explorer-chips-frame" data-wrong={field["aria-invalid"]}>
        {items.length > 0 && (
          <ul className="explorer-chips-list" aria-label={`Selected: ${items.length}`}>
            {items.map((one) => (
              <li key={one} className="explorer-chip">
                <bdi className="explorer-chip-text">{one}</bdi>
                <button type="button" aria-label={`Remove ${one}`} onClick={() => drop(one)}>
                  <span aria-hidden="true">×</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <Combobox
          {...field}
          ref={input}
          className="explorer-chips-input"
          placeholder={items.length === 0 ? placeholder : `Add another ${item}`}
          enterKeyHint="enter"
          typed={typed}
          onType={(text) => (endsItem(text) ? take(itemsTyped(text)) : setTyped(text))}
          options={found.filter((one) => !items.includes(one.value))}
          keyOf={(one) => one.value}
          show={({ value: one, label = one }) => <bdi>{label}</bdi>}
          onPick={(one) => take([one.value])}
          onEnter={(event) => {
            if (typed.trim() === "") return;
            event.preventDefault();
            take(itemsTyped(typed));
          }}
          onKeyDown={({ key }) => {
            if (key === "Backspace" && typed === "") onChange(listOf(items.slice(0, -1)));
          }}
          onFocus={() => setFocused(true)}
          onBlur={() => {
            setFocused(false);
            take(itemsTyped(typed));
          }}
          listLabel={`Suggested ${item}s`}
          areOld={isLoading}
        />
      </div>
    </div>
  );
}
