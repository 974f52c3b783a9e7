/** In charge of the form: what to ask, where, and every parameter of the table with a fitting field. */

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
  givenFor,
  inShard,
  isSingle,
  isWhole,
  type Question,
  type Target,
  turnedTo,
  withValue,
} from "./question.ts";
import { Strangers } from "./strangers.tsx";
import type { Suggest } from "./suggest.ts";

interface Props {
  question: Question;
  shards: readonly string[];
  /** What the service said of each parameter. */
  problemsOf(name: string): readonly string[];
  /** Field names that replies have shown, by type. */
  fieldNames: ReadonlyMap<string, ReadonlySet<string>>;
  onChange(question: Question): void;
  onSend(): void;
  onClear(): void;
}

const TARGET_CHOICES: readonly { value: Target; label: string }[] = [
  { value: "matches", label: "Matches" },
  { value: "players", label: "Players" },
  { value: "match", label: "One match" },
  { value: "player", label: "One player" },
];

export function Form(props: Props) {
  const { question, shards, problemsOf, onChange, onSend, onClear } = props;
  const { shard, on, id } = question;
  const targets = useId();
  const suggest = useNameHelp(shard);
  const set = (name: string, value: string | undefined) =>
    onChange(withValue(question, name, value));
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSend();
  };
  const isWrongIn = (fields: readonly Parameter[]) =>
    fields.some((one) => namesOf(one, question).some((name) => problemsOf(name).length > 0));
  const known = shards.includes(shard) || shard === "" ? shards : [...shards, shard];
  return (
    <form className="explorer-form" onSubmit={send} noValidate aria-label="Query">
      <div className="explorer-where card">
        <Field label="Shard" problems={[]}>
          {({ id: field }) => (
            <select
              id={field}
              className="input"
              value={shard}
              onChange={({ target }) => onChange(inShard(question, target.value))}
            >
              {known.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Ask for" problems={[]} isGroup>
          {() => (
            <Choices
              name={targets}
              isSquare
              choices={TARGET_CHOICES}
              value={on}
              onChange={(chosen) => onChange(turnedTo(question, chosen as Target))}
            />
          )}
        </Field>
        {isSingle(on) && (
          <Field
            label={on === "match" ? "Match id" : "Player id"}
            name="in the path"
            hint="It is in the address of the record's page, and in every reply."
            problems={problemsOf("id")}
          >
            {(belonging) => (
              <TextControl
                belonging={belonging}
                value={id}
                onChange={(value) => onChange({ ...question, id: value?.trim() ?? "" })}
              />
            )}
          </Field>
        )}
      </div>
      {groupsOf(on).map(({ title, fields }) => (
        <FieldSet
          key={title}
          title={title}
          used={usedIn(question, fields)}
          isWrong={isWrongIn(fields)}
        >
          {fields.flatMap((parameter) =>
            namesOf(parameter, question).map((name) => (
              <ParameterField
                key={name}
                parameter={parameter}
                name={name}
                value={givenFor(question, name)}
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
      <Strangers
        question={question}
        problemsOf={problemsOf}
        onDrop={(name) => set(name, undefined)}
      />
      <div className="explorer-actions">
        <button type="submit" className="button button-main" disabled={!isWhole(question)}>
          Send
        </button>
        <button type="button" className="button button-plain" onClick={onClear}>
          Clear
        </button>
      </div>
    </form>
  );
}

/** One parameter is one field; `fields[TYPE]` is one for each type. */
function namesOf({ kind, name }: Parameter, { parameters }: Question): string[] {
  if (kind !== "fields") return [name];
  const named = parameters
    .map(([one]) => one)
    .filter((one) => findParameter(one)?.kind === "fields")
    .map(fieldsType);
  return [...new Set([...RESOURCE_TYPES, ...named])].map((type) => `fields[${type}]`);
}

function usedIn(question: Question, fields: readonly Parameter[]): number {
  const names = new Set(fields.flatMap((parameter) => namesOf(parameter, question)));
  return question.parameters.filter(([name]) => names.has(name)).length;
}

/** Help with player names: those that are near to what was typed, each once. */
function useNameHelp(shard: string): Suggest {
  const { key, matchbook } = useSession();
  return useMemo<Suggest>(
    () => async (typed, signal) => {
      if (key === undefined) return [];
      // The beginning of a long name is enough.
      const start = Array.from(typed).slice(0, MAX_NEAR_LENGTH).join("");
      const near = await matchbook.shard(shard).playerNames(start, { signal });
      return [...new Set(near.map(({ name }) => name))];
    },
    [key, matchbook, shard],
  );
}
