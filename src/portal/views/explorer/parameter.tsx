/** In charge of the field of one parameter: which control fits its kind. */

import { useCallback } from "react";
import { parseTimestamp } from "../../../domain/time.ts";
import { fieldsType, type Parameter } from "../../../query/parameters.ts";
import { Chips } from "./chips.tsx";
import {
  type ControlProps,
  DateTimeControl,
  ModesControl,
  SortControl,
  TextControl,
} from "./controls.tsx";
import { Field } from "./field.tsx";
import { hasNameHelp, hintOf, labelOf } from "./fields.ts";
import { IncludeControl } from "./include.tsx";
import { zoneAt } from "./local-time.ts";
import type { Suggest } from "./suggest.ts";

interface Props {
  parameter: Parameter;
  /** As it stands in the query: `fields[match]` for `fields[TYPE]`. */
  name: string;
  value: string | undefined;
  onChange(value: string | undefined): void;
  problems: readonly string[];
  /** Whether the target has related resources to choose from. */
  hasPaths: boolean;
  /** The field names of a type, as far as replies have shown them. */
  known: ReadonlySet<string> | undefined;
  /** Help with player names. */
  suggest: Suggest;
}

const GROUPS: readonly string[] = ["sort", "modes", "include"];
const HALVES: readonly string[] = ["limit", "offset", "cursor"];

export function ParameterField(props: Props) {
  const { parameter, name, value, onChange, problems } = props;
  const { kind } = parameter;
  const isOfType = kind === "fields";
  return (
    <Field
      label={isOfType ? `Fields of a ${fieldsType(name)}` : labelOf(name)}
      name={name}
      hint={hintFor(parameter, value)}
      problems={problems}
      isGroup={GROUPS.includes(kind)}
      isHalf={HALVES.includes(kind)}
    >
      {(field) => <Control {...props} control={{ field, value, onChange }} />}
    </Field>
  );
}

/** Choices explain themselves; a time is the visitor's own. */
function hintFor(parameter: Parameter, value: string | undefined): string | undefined {
  const { kind } = parameter;
  if (kind === "fields" || kind === "sort" || kind === "modes") return undefined;
  if (kind !== "timestamp") return hintOf(parameter);
  return `${hintOf(parameter)} In your time, ${zoneAt(parseTimestamp(value ?? "") ?? Date.now())}.`;
}

/** A kind that is new in the table gets a plain field until it has one of its own. */
function Control({ control, ...props }: Props & { control: ControlProps }) {
  const { parameter, hasPaths, suggest } = props;
  switch (parameter.kind) {
    case "limit":
    case "offset":
      return <TextControl {...control} placeholder={parameter.default} isNumber />;
    case "sort":
      return <SortControl {...control} />;
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
          placeholder={`such as ${parameter.example.split(",")[0]}`}
          suggest={hasNameHelp(parameter) ? suggest : undefined}
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
  const placeholder = control.value === "" ? "no field" : "every field";
  return <Chips {...control} item="field" placeholder={placeholder} suggest={suggest} />;
}

/** "name" for `filter[playerNames]`: its last word. */
const itemOf = (name: string): string =>
  labelOf(name).split(" ").at(-1)?.replace(/s$/, "") ?? "value";
