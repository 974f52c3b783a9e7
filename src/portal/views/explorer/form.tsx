/** The query form: region, target, the common filters, and everything else under "More". */

import { type FormEvent, useEffect, useMemo, useState } from "react";
import { RESOURCE_TYPES } from "../../../domain/vocabulary.ts";
import {
  fieldsType,
  findParameter,
  MAX_NEAR_LENGTH,
  type Parameter,
} from "../../../query/parameters.ts";
import { useSession } from "../../session.ts";
import { TextControl } from "./controls.tsx";
import { Field } from "./field.tsx";
import { fieldsOf } from "./fields.ts";
import { ParameterField } from "./parameter.tsx";
import { parameterValue, type Query, withShard, withTarget, withValue } from "./query.ts";
import type { Suggest } from "./suggest.ts";
import { TARGET_NAMES, TARGETS, type Target, targetRow } from "./targets.ts";
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

export function Form(props: Props) {
  const { query, shards, problemsOf, onChange, onSend, onClear } = props;
  const { shard, on } = query;
  const suggest = useNameSuggestions(shard);
  const set = (name: string, value: string | undefined) => onChange(withValue(query, name, value));
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSend();
  };
  const { common, groups } = fieldsOf(on);
  const rest = groups.flatMap(({ fields }) => fields);
  const known = shards.includes(shard) || shard === "" ? shards : [...shards, shard];
  const fieldsFor = (parameters: readonly Parameter[]) =>
    parameters.flatMap((parameter) =>
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
    );
  return (
    <form className="explorer-form card stack" onSubmit={send} noValidate aria-label="Query">
      <div className="explorer-fields explorer-common">
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
        <Field label="Search for" problems={[]}>
          {({ id: field }) => (
            <select
              id={field}
              className="input"
              value={on}
              onChange={({ target }) => onChange(withTarget(query, target.value as Target))}
            >
              {TARGET_NAMES.map((one) => (
                <option key={one} value={one}>
                  {TARGETS[one].label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <IdField {...props} />
        {fieldsFor(common)}
      </div>
      {rest.length > 0 && (
        <More
          used={usedIn(query, rest)}
          isWrong={rest.some((one) => namesOf(one, query).some((name) => problemsOf(name).length))}
          onClear={onClear}
        >
          {groups.map(({ title, fields }) => (
            <section key={title} className="explorer-group" aria-label={title}>
              <h2 className="explorer-group-title">{title}</h2>
              <div className="explorer-fields">{fieldsFor(fields)}</div>
            </section>
          ))}
        </More>
      )}
      <UnknownParameters
        query={query}
        problemsOf={problemsOf}
        onDrop={(name) => set(name, undefined)}
      />
      {/* Enter in a field sends the query at once. */}
      <button type="submit" hidden>
        Send
      </button>
    </form>
  );
}

function IdField({ query, problemsOf, onChange }: Props) {
  const { idLabel, ids } = targetRow(query.on);
  if (!idLabel) return null;
  return (
    <Field label={idLabel} problems={problemsOf("id")}>
      {(field) =>
        ids ? (
          <select
            id={field.id}
            className="input"
            value={query.id}
            onChange={({ target }) => onChange({ ...query, id: target.value })}
          >
            {ids.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        ) : (
          <TextControl
            field={field}
            value={query.id}
            placeholder="From a response or the URL of the record's page"
            onChange={(value) => onChange({ ...query, id: value?.trim() ?? "" })}
          />
        )
      }
    </Field>
  );
}

/** The less common parameters. It opens by itself if the server rejected one of them. */
function More({
  used,
  isWrong,
  onClear,
  children,
}: {
  used: number;
  isWrong: boolean;
  onClear(): void;
  children: React.ReactNode;
}) {
  const [isOpen, setOpen] = useState(isWrong);
  useEffect(() => {
    if (isWrong) setOpen(true);
  }, [isWrong]);
  return (
    <div className="explorer-more">
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="explorer-more-title">
          More
          {used > 0 && <span className="explorer-used">{used} set</span>}
        </summary>
        {isOpen && children}
      </details>
      <button
        type="button"
        className="button button-small button-plain explorer-clear"
        onClick={onClear}
      >
        Clear
      </button>
    </div>
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
  const { access, matchbook } = useSession();
  return useMemo<Suggest>(
    () => async (typed, signal) => {
      if (access === "none") return [];
      // The server limits the length; the start of a long name is enough.
      const start = Array.from(typed).slice(0, MAX_NEAR_LENGTH).join("");
      const near = await matchbook.shard(shard).playerNames(start, { signal });
      return [...new Set(near.map(({ name }) => name))];
    },
    [access, matchbook, shard],
  );
}
