/** In charge of parameters in the address that the target does not take. */

import { findParameter } from "../../../query/parameters.ts";
import { FieldSet } from "./group.tsx";
import { endpointOf, type Question, type Target } from "./question.ts";

/** Parameters of the address that are not taken here: shown, because they are sent. */
export function Strangers({
  question,
  problemsOf,
  onDrop,
}: {
  question: Question;
  problemsOf(name: string): readonly string[];
  onDrop(name: string): void;
}) {
  const strangers = question.parameters.filter(([name]) => isStranger(name, question.on));
  if (strangers.length === 0) return null;
  return (
    <FieldSet title="Not taken here" used={strangers.length} isWrong>
      {strangers.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name may stand there twice.
        <div key={at} className="explorer-field explorer-wrong">
          <p className="explorer-stranger">
            <code>
              {name}={value}
            </code>
            <button type="button" className="button button-small" onClick={() => onDrop(name)}>
              Remove <span className="unseen">{name}</span>
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
