/** The controls of the form, one for each kind of parameter. */

import { type ComponentProps, type KeyboardEvent, type ReactNode, useState } from "react";
import { GAME_MODES } from "../../../domain/modes.ts";
import { parseTimestamp } from "../../../domain/time.ts";
import { INCLUDE_PATHS } from "../../../domain/vocabulary.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { modeName } from "../../names.ts";
import type { Source } from "../../search/suggestions.ts";
import { Chips, type Choice } from "./chips.tsx";
import type { ControlProps } from "./field.tsx";
import { hintOf, labelOf, type NamedParameter } from "./fields.ts";
import { itemsIn, listOf, toggled } from "./lists.ts";
import { isoOf, localOf, zoneAt } from "./local-time.ts";

/** How a parameter is entered. */
interface Control {
  show(props: ControlProps): ReactNode;
  /** Several controls under one label. */
  isGroup?: true;
  hint?: string;
}

/**
 * New kinds of parameters get a text field. `hasPaths`: the target is matches, which sort by time and have related
 * resources to select from.
 */
export function controlOf(
  parameter: NamedParameter,
  value: string | undefined,
  hasPaths: boolean,
  source: Source<readonly Choice[]> | undefined,
): Control {
  const hint = hintOf(parameter);
  const example = `e.g. ${parameter.example.split(",")[0]}`;
  const text = (input: InputProps = {}): Control => ({
    hint,
    show: (props) => <TextControl {...props} {...input} />,
  });
  /** The last of the options is the default, which is left out of the query. */
  const choices = (label: string, options: Options): Control => {
    const byDefault = options.at(-1)!.value;
    return {
      isGroup: true,
      show: ({ value = byDefault, onChange }) => (
        <Segmented
          {...{ label, options, value }}
          onChange={(chosen) => onChange(chosen === byDefault ? undefined : chosen)}
        />
      ),
    };
  };
  const chips = (item: string, placeholder: string): Control => ({
    show: (props) => <Chips {...props} {...{ item, placeholder, source }} />,
  });
  switch (parameter.kind) {
    case "limit":
    case "offset":
      return text({ inputMode: "numeric" });
    case "text":
      return text({ placeholder: example });
    case "sort":
      return hasPaths ? choices("Sort", SORTS) : text({ placeholder: example });
    case "choice":
      return choices("Period", PERIODS);
    case "timestamp": {
      const zone = zoneAt(parseTimestamp(value ?? "") ?? Date.now());
      return {
        hint: `${hint} In your local time (${zone}).`,
        show: (props) => <DateTimeControl {...props} />,
      };
    }
    case "modes":
      return {
        isGroup: true,
        show: (props) => <Toggles {...props} known={GAME_MODES} labelOf={modeName} />,
      };
    case "include":
      return {
        hint,
        isGroup: true,
        show: (props) => <IncludeControl {...props} hasPaths={hasPaths} />,
      };
    case "fields":
      return chips("field", value === "" ? "No fields" : "All fields");
    case "list":
      return { hint, ...chips(itemOf(parameter.name), example) };
    default:
      return text();
  }
}

/** "name" for `filter[playerNames]`: its last word. */
const itemOf = (name: string): string =>
  labelOf(name).split(" ").at(-1)?.replace(/s$/, "") ?? "value";

type InputProps = Omit<ComponentProps<"input">, "value" | "onChange">;
type TextProps = ControlProps & Omit<InputProps, "placeholder">;

export function TextControl({ field, value = "", onChange, ...input }: TextProps) {
  return (
    <input
      type="text"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      {...input}
      {...field}
      className="input"
      value={value}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
    />
  );
}

type Options = readonly { value: string; label: string }[];

const SORTS: Options = [
  { value: "-createdAt", label: "Newest first" },
  { value: "createdAt", label: "Oldest first" },
];
const PERIODS: Options = [
  { value: "28d", label: "28 days" },
  { value: "all", label: "All time" },
];

const ARROWS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

interface TogglesProps extends ControlProps {
  known: readonly string[];
  labelOf?(item: string): string;
}

/**
 * A list of known values as checkboxes in a row. They are one tab stop: the arrow keys move between them. Unknown
 * values of the URL are shown too, so that they can be removed.
 */
function Toggles({ known, labelOf = (item) => item, value, onChange }: TogglesProps) {
  const [current, setCurrent] = useState(0);
  const chosen = itemsIn(value);
  const items = [...new Set([...known, ...chosen])];
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
            onChange={() => onChange(listOf(toggled(chosen, item)))}
          />
          <span>{known.includes(item) ? labelOf(item) : item}</span>
        </label>
      ))}
    </div>
  );
}

/** The related resources to include: everything, nothing, or some paths. */
function IncludeControl({ hasPaths, ...props }: ControlProps & { hasPaths: boolean }) {
  const { value, onChange } = props;
  const extent = value === undefined ? "all" : value === "" ? "none" : "some";
  const values = { all: undefined, none: "", some: value || INCLUDE_PATHS[0] };
  return (
    <>
      <Segmented
        label="Include"
        options={[
          { value: "all", label: "Everything" },
          { value: "none", label: "Nothing" },
          ...(hasPaths || extent === "some" ? [{ value: "some", label: "Selected" } as const] : []),
        ]}
        value={extent}
        onChange={(chosen) => onChange(values[chosen])}
      />
      {extent === "some" && (
        <Toggles {...props} known={INCLUDE_PATHS} onChange={(paths) => onChange(paths ?? "")} />
      )}
    </>
  );
}

/** An invalid time is shown as text until the field is left with a valid one. */
function DateTimeControl(props: ControlProps) {
  const { value, onChange } = props;
  const local = value === undefined ? "" : localOf(value);
  const [isTyped, setTyped] = useState(false);
  const asText = { onFocus: () => setTyped(true), onBlur: () => setTyped(false) };
  const asTime = {
    type: "datetime-local",
    step: 1,
    min: "0001-01-01T00:00",
    max: "9999-12-31T23:59",
    value: local,
    onChange: (typed = "") => onChange(isoOf(typed)),
  };
  return <TextControl {...props} {...(local === undefined || isTyped ? asText : asTime)} />;
}
