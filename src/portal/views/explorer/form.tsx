/** The query form: region, target, and a field for every parameter. */

import { type FormEvent, useId, useMemo } from "react";
import { RESOURCE_TYPES } from "../../../domain/vocabulary.ts";
import {
  fieldsType,
  findParameter,
  MAX_NEAR_LENGTH,
  type Parameter,
} from "../../../query/parameters.ts";
import { useSession } from "../../session.ts";
import { Choices, TextControl } from "./controls.tsx";
import { Field } from "./field.tsx";
import { groupsOf } from "./fields.ts";
import { FieldSet } from "./group.tsx";
import { ParameterField } from "./parameter.tsx";
import {
  isComplete,
  isSingle,
  parameterValue,
  type Query,
  type Target,
  withShard,
  withTarget,
  withValue,
} from "./query.ts";
import type { Suggest } from "./suggest.ts";
import { UnknownParameters } from "./unknown-parameters.tsx";

interface Props {
  query: Query;
  shards: readonly string[];
  /** The server's errors about a parameter. */
  problemsOf(name: string): readonly string[];
  /** Field names seen in responses, by type. */
  fieldNames: ReadonlyMap<string, ReadonlySet<string>>;
  onChange(query: Query): void;
  onSend(): void;
  onClear(): void;
}

const TARGET_CHOICES: readonly { value: Target; label: string }[] = [
  { value: "matches", label: "Matches" },
  { value: "players", label: "Players" },
  { value: "match", label: "Match by ID" },
  { value: "player", label: "Player by ID" },
];

export function Form(props: Props) {
  const { query, shards, problemsOf, onChange, onSend, onClear } = props;
  const { shard, on, id } = query;
  const targets = useId();
  const suggest = useNameSuggestions(shard);
  const set = (name: string, value: string | undefined) => onChange(withValue(query, name, value));
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSend();
  };
  const isWrongIn = (fields: readonly Parameter[]) =>
    fields.some((one) => namesOf(one, query).some((name) => problemsOf(name).length > 0));
  const known = shards.includes(shard) || shard === "" ? shards : [...shards, shard];
  return (
    <form className="explorer-form" onSubmit={send} noValidate aria-label="Query">
      <div className="explorer-where card">
        <Field label="Region" problems={[]}>
          {({ id: field }) => (
            <select
              id={field}
              className="input"
              value={shard}
              onChange={({ target }) => onChange(withShard(query, target.value))}
            >
              {known.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Search for" problems={[]} isGroup>
          {() => (
            <Choices
              name={targets}
              isSquare
              choices={TARGET_CHOICES}
              value={on}
              onChange={(chosen) => onChange(withTarget(query, chosen as Target))}
            />
          )}
        </Field>
        {isSingle(on) && (
          <Field
            label={on === "match" ? "Match ID" : "Player ID"}
            hint="You can find it in responses and in the URL of the record's page."
            problems={problemsOf("id")}
          >
            {(field) => (
              <TextControl
                field={field}
                value={id}
                onChange={(value) => onChange({ ...query, id: value?.trim() ?? "" })}
              />
            )}
          </Field>
        )}
      </div>
      {groupsOf(on).map(({ title, fields }) => (
        <FieldSet
          key={title}
          title={title}
          used={usedIn(query, fields)}
          isWrong={isWrongIn(fields)}
        >
          {fields.flatMap((parameter) =>
            namesOf(parameter, query).map((name) => (
              <ParameterField
                key={name}
                parameter={parameter}
                name={name}
                value={parameterValue(query, name)}
                onChange={(value) => set(name, value)}
                problems={problemsOf(name)}
                hasPaths={on === "matches" || on === "match"}
                known={props.fieldNames.get(fieldsType(name))}
                suggest={suggest}
              />
            )),
          )}
        </FieldSet>
      ))}
      <UnknownParameters
        query={query}
        problemsOf={problemsOf}
        onDrop={(name) => set(name, undefined)}
      />
      <div className="explorer-actions">
        <button type="submit" className="button button-main" disabled={!isComplete(query)}>
          Send
        </button>
        <button type="button" className="button button-plain" onClick={onClear}>
          Clear
        </button>
      </div>
    </form>
  );
}

/** One field per parameter; `fields[TYPE]` has one per type. */
function namesOf({ kind, name }: Parameter, { parameters }: Query): string[] {
  if (kind !== "fields") return [name];
  const named = parameters
    .map(([one]) => one)
    .filter((one) => findParameter(one)?.kind === "fields")
    .map(fieldsType);
  return [...new Set([...RESOURCE_TYPES, ...named])].map((type) => `fields[${type}]`);
}

function usedIn(query: Query, fields: readonly Parameter[]): number {
  const names = new Set(fields.flatMap((parameter) => namesOf(parameter, query)));
  return query.parameters.filter(([name]) => names.has(name)).length;
}

/** Suggests player names similar to the typed text, without duplicates. */
function useNameSuggestions(shard: string): Suggest {
  const { key, matchbook } = useSession();
  return useMemo<Suggest>(
    () => async (typed, signal) => {
      if (key === undefined) return [];
      // The server limits the length; the start of a long name is enough.
      const start = Array.from(typed).slice(0, MAX_NEAR_LENGTH).join("");
      const near = await matchbook.shard(shard).playerNames(start, { signal });
      return [...new Set(near.map(({ name }) => name))];
    },
    [key, matchbook, shard],
  );
}
