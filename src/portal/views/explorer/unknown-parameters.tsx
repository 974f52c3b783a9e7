/** In charge of parameters in the address that the target does not take. */

import { findParameter } from "../../../query/parameters.ts";
import { FieldSet } from "./group.tsx";
import { endpointOf, type Query, type Target } from "./query.ts";

/** Parameters of the address that are not taken here: shown, because they are sent. */
export function UnknownParameters({
  query,
  problemsOf,
  onDrop,
}: {
  query: Query;
  problemsOf(name: string): readonly string[];
  onDrop(name: string): void;
}) {
  const strangers = query.parameters.filter(([name]) => isStranger(name, query.on));
  if (strangers.length === 0) return null;
  return (
    <FieldSet title="Not taken here" used={strangers.length} isWrong>
      {strangers.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name may stand there twice.
        <div key={at} className="explorer-field explorer-wrong">
          <p className="explorer-unknown">
            <code>
              {name}={value}
            </code>
            <button type="button" className="button button-small" onClick={() => onDrop(name)}>
              Remove <span className="visually-hidden">{name}</span>
            </button>
          </p>
          <div className="explorer-problems">
            {problemsOf(name).map((problem) => (
              <p key={problem}>{problem}</p>
            ))}
          </div>
        </div>
      ))}
    </FieldSet>
  );
}

const isStranger = (name: string, on: Target): boolean =>
  !findParameter(name)?.endpoints.includes(endpointOf(on));
