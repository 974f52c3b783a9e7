/** Parameters in the URL that the target does not accept. */

import { findParameter } from "../../../query/parameters.ts";
import type { Query } from "./query.ts";
import { TARGETS, type Target } from "./targets.ts";

/** They are shown because they are sent, and can be removed. */
export function UnknownParameters({
  query,
  problemsOf,
  onDrop,
}: {
  query: Query;
  problemsOf(name: string): readonly string[];
  onDrop(name: string): void;
}) {
  const unknown = query.parameters.filter(([name]) => isUnknown(name, query.on));
  if (unknown.length === 0) return null;
  return (
    <fieldset className="explorer-group">
      <legend className="explorer-group-title">Unsupported parameters</legend>
      {unknown.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name may appear twice.
        <div key={at} className="stack explorer-field explorer-wrong">
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
    </fieldset>
  );
}

const isUnknown = (name: string, on: Target): boolean =>
  !findParameter(name)?.endpoints.includes(TARGETS[on].endpoint);
