/** The form field of a parameter, with the control for its kind. */

import { useCallback } from "react";
import { parseTimestamp } from "../../../domain/time.ts";
import { fieldsType, type Parameter } from "../../../query/parameters.ts";
import { Chips } from "./chips.tsx";
import {
  type ControlProps,
  DateTimeControl,
  ModesControl,
  PeriodControl,
  SortControl,
  TextControl,
} from "./controls.tsx";
import { Field } from "./field.tsx";
import { hasSuggestions, hintOf, labelOf } from "./fields.ts";
import { IncludeControl } from "./include.tsx";
import { zoneAt } from "./local-time.ts";
import type { Suggest } from "./suggest.ts";

interface Props {
  parameter: Parameter;
  /** The name in the query: `fields[match]` for `fields[TYPE]`. */
  name: string;
  value: string | undefined;
  onChange(value: string | undefined): void;
  problems: readonly string[];
  /** Whether the target has related resources to select from. */
  hasPaths: boolean;
  /** Field names of the type seen in responses. */
  known: ReadonlySet<string> | undefined;
  /** Suggests player names. */
  suggest: Suggest;
}

/** Several controls under one label. */
const GROUPS: readonly string[] = ["modes", "include", "period"];

/** Actors sort by any attribute; matches only by their time. */
const hasSortChoices = ({ kind }: Parameter, hasPaths: boolean): boolean =>
  kind === "sort" && hasPaths;

export function ParameterField(props: Props) {
  const { parameter, name, value, onChange, problems } = props;
  const { kind } = parameter;
  const isOfType = kind === "fields";
  return (
    <Field
      label={isOfType ? labelOf(`${fieldsType(name)} fields`) : labelOf(name)}
      name={name}
      hint={hintFor(parameter, value, props.hasPaths)}
      problems={problems}
      isGroup={GROUPS.includes(kind) || hasSortChoices(parameter, props.hasPaths)}
    >
      {(field) => <Control {...props} control={{ field, value, onChange }} />}
    </Field>
  );
}

/** Choices need no hint; times get the visitor's time zone. */
function hintFor(
  parameter: Parameter,
  value: string | undefined,
  hasPaths: boolean,
): string | undefined {
  const { kind } = parameter;
  if (kind === "fields" || kind === "modes" || kind === "period") return undefined;
  if (kind === "sort" && hasPaths) return undefined;
  if (kind !== "timestamp") return hintOf(parameter);
  const zone = zoneAt(parseTimestamp(value ?? "") ?? Date.now());
  return `${hintOf(parameter)} In your local time (${zone}).`;
}

/** New kinds of parameters get a text field by default. */
function Control({ control, ...props }: Props & { control: ControlProps }) {
  const { parameter, hasPaths, suggest } = props;
  switch (parameter.kind) {
    case "limit":
    case "offset":
    case "wait":
      return <TextControl {...control} isNumber />;
    case "sort":
      return hasSortChoices(parameter, hasPaths) ? (
        <SortControl {...control} />
      ) : (
        <TextControl {...control} placeholder="e.g. -winRate" />
      );
    case "period":
      return <PeriodControl {...control} />;
    case "name":
      return <TextControl {...control} placeholder={`e.g. ${parameter.example}`} />;
    case "timestamp":
      return <DateTimeControl {...control} />;
    case "modes":
      return <ModesControl {...control} />;
    case "include":
      return <IncludeControl {...control} hasPaths={hasPaths} />;
    case "fields":
      return <FieldChips {...props} control={control} />;
    case "list":
      return (
        <Chips
          {...control}
          item={itemOf(parameter.name)}
          placeholder={`e.g. ${parameter.example.split(",")[0]}`}
          suggest={hasSuggestions(parameter) ? suggest : undefined}
        />
      );
    default:
      return <TextControl {...control} />;
  }
}

function FieldChips({ control, known }: Props & { control: ControlProps }) {
  const suggest = useCallback<Suggest>(
    async (typed) => {
      const start = typed.trim().toLowerCase();
      return [...(known ?? [])].filter((name) => name.toLowerCase().includes(start));
    },
    [known],
  );
  const placeholder = control.value === "" ? "No fields" : "All fields";
  return <Chips {...control} item="field" placeholder={placeholder} suggest={suggest} />;
}

/** "name" for `filter[playerNames]`: its last word. */
const itemOf = (name: string): string =>
  labelOf(name).split(" ").at(-1)?.replace(/s$/, "") ?? "value";
