/** The query form: region, target, the common filters, and everything else under "More". */

import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { RESOURCE_TYPES } from "../../../domain/vocabulary.ts";
import { fieldsName, fieldsType, findParameter } from "../../../query/endpoint.ts";
import { Button } from "../../kit/button.tsx";
import { useRegions } from "../../regions.ts";
import { playersOf } from "../../search/find.ts";
import { patchesOf } from "../../search/patches.ts";
import { mapped, type Source } from "../../search/suggestions.ts";
import { useSession } from "../../session.ts";
import type { Choice } from "./chips.tsx";
import { controlOf, TextControl } from "./controls.tsx";
import { Field, SelectField } from "./field.tsx";
import { fieldsOf, labelOf, type NamedParameter } from "./fields.ts";
import { hasPaths, parameterValue, type Query, withShard, withTarget, withValue } from "./query.ts";
import { TARGET_NAMES, TARGETS, type Target, targetRow } from "./targets.ts";

interface Props {
  query: Query;
  /** The server's errors about a parameter. */
  problemsOf(name: string): readonly string[];
  /** Field names seen in responses, by type. */
  fieldNames: ReadonlyMap<string, ReadonlySet<string>>;
  onChange(query: Query): void;
  onSend(): void;
  onClear(): void;
}

export function Form({ query, problemsOf, fieldNames, onChange, onSend, onClear }: Props) {
  const { shard, on, id } = query;
  const { setShard } = useSession();
  const { regions } = useRegions();
  const { endpoint, idLabel, ids } = targetRow(on);
  const sources = useSources(shard, fieldNames);
  const set = (name: string, value: string | undefined) => onChange(withValue(query, name, value));
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSend();
  };
  const { common, groups } = fieldsOf(on);
  const rest = groups.flatMap(([, fields]) => fields).flatMap((one) => namesOf(one, query));
  const unknown = query.parameters.filter(([name]) => findParameter(endpoint, name) === undefined);
  const fieldOf = (parameter: NamedParameter, name: string) => {
    const value = parameterValue(query, name);
    const { show, ...field } = controlOf(parameter, value, hasPaths(on), sources.get(name));
    return (
      <Field
        key={name}
        label={labelOf(parameter.kind === "fields" ? `${fieldsType(name)} fields` : name)}
        name={name}
        problems={problemsOf(name)}
        {...field}
      >
        {(context) => show({ field: context, value, onChange: (changed) => set(name, changed) })}
      </Field>
    );
  };
  const fieldsFor = (parameters: readonly NamedParameter[]) =>
    parameters.flatMap((one) => namesOf(one, query).map((name) => fieldOf(one, name)));
  return (
    <form className="explorer-form card stack" onSubmit={send} noValidate aria-label="Query">
      <div className="explorer-fields explorer-common">
        <SelectField
          label="Region"
          value={shard}
          options={[...new Set([...regions.map(({ id }) => id), shard])].filter(Boolean)}
          onChange={(region) => {
            setShard(region);
            onChange(withShard(query, region));
          }}
        />
        <SelectField
          label="Search for"
          value={on}
          options={TARGET_NAMES.map((one) => [one, TARGETS[one].label])}
          onChange={(target) => onChange(withTarget(query, target as Target))}
        />
        {idLabel && ids && (
          <SelectField
            label={idLabel}
            value={id}
            options={ids}
            onChange={(one) => onChange({ ...query, id: one })}
          />
        )}
        {idLabel && !ids && (
          <Field label={idLabel} problems={problemsOf("id")}>
            {(field) => (
              <TextControl
                field={field}
                value={id}
                placeholder="From a response or the URL of the record's page"
                onChange={(typed = "") => onChange({ ...query, id: typed.trim() })}
              />
            )}
          </Field>
        )}
        {fieldsFor(common)}
      </div>
      {rest.length > 0 && (
        <More
          used={query.parameters.filter(([name]) => rest.includes(name)).length}
          isWrong={rest.some((name) => problemsOf(name).length > 0)}
          onClear={onClear}
        >
          {groups.map(([title, fields]) => (
            <Group key={title} title={title}>
              <div className="explorer-fields">{fieldsFor(fields)}</div>
            </Group>
          ))}
        </More>
      )}
      {/* They are shown because they are sent, and can be removed. */}
      {unknown.length > 0 && (
        <Group title="Unsupported parameters">
          {unknown.map(([name, value], at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a name may appear twice.
            <Field key={at} label={`${name}=${value}`} problems={problemsOf(name)} isGroup>
              {() => (
                <Button
                  look="small"
                  className="explorer-remove"
                  onClick={() => set(name, undefined)}
                >
                  Remove <span className="visually-hidden">{name}</span>
                </Button>
              )}
            </Field>
          ))}
        </Group>
      )}
      {/* Enter in a field sends the query at once. */}
      <button type="submit" hidden>
        Send
      </button>
    </form>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="explorer-group" aria-label={title}>
      <h2 className="explorer-group-title">{title}</h2>
      {children}
    </section>
  );
}

interface MoreProps {
  used: number;
  isWrong: boolean;
  onClear(): void;
  children: ReactNode;
}

/** The less common parameters. It opens by itself if the server rejected one of them, and then stays open. */
function More({ used, isWrong, onClear, children }: MoreProps) {
  const [isOpen, setOpen] = useState(isWrong);
  return (
    <div className="explorer-more">
      <details
        open={isOpen || isWrong}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary className="explorer-more-title">
          More
          {used > 0 && <span className="explorer-used">{used} set</span>}
        </summary>
        {(isOpen || isWrong) && children}
      </details>
      <Button look="small" className="button-plain explorer-clear" onClick={onClear}>
        Clear
      </Button>
    </div>
  );
}

/** One field per parameter; `fields[TYPE]` has one per type. */
function namesOf({ kind, name }: NamedParameter, { parameters, on }: Query): string[] {
  if (kind !== "fields") return [name];
  const named = parameters
    .map(([one]) => one)
    .filter((one) => findParameter(targetRow(on).endpoint, one)?.kind === "fields")
    .map(fieldsType);
  return [...new Set([...RESOURCE_TYPES, ...named])].map((type) => `fields[${type}]`);
}

/** Suggests the values of a parameter: players, patches, and fields seen in responses. */
function useSources(shard: string, fieldNames: Props["fieldNames"]) {
  const { access, matchbook } = useSession();
  return useMemo(() => {
    const players = mapped(playersOf(matchbook, shard), ({ all, isNearest }) =>
      isNearest ? [] : all,
    );
    const valuesOf = (values: readonly string[]) =>
      [...new Set(values)].map((value) => ({ value }));
    const ids = mapped(players, (all) =>
      all.map(({ id, name }) => ({ value: id, label: `${name} ${id}` })),
    );
    const fetched = [
      ["filter[playerNames]", mapped(players, (all) => valuesOf(all.map(({ name }) => name)))],
      ["filter[playerIds]", ids],
      ["filter[patchVersion]", mapped(patchesOf(matchbook, shard), valuesOf)],
    ] as const;
    const fields = [...fieldNames].map(([type, names]) => {
      const known = (text: string) =>
        valuesOf([...names].filter((one) => one.toLowerCase().includes(text.toLowerCase())));
      return [fieldsName(type), { known, fetch: async (text: string) => known(text) }] as const;
    });
    const sources = [...(access === "none" ? [] : fetched), ...fields];
    return new Map<string, Source<readonly Choice[]>>(sources);
  }, [access, matchbook, shard, fieldNames]);
}
