/** The model of the change feed: which changes follow a position. */

import { parametersOf, query } from "../properties/asking.ts";
import { type ChangeLog, type ChangesQuery, isSame } from "./change-log.ts";
import type { FeatureQuestions } from "./features.ts";
import { AT, MODES } from "./pages.ts";
import type { Expected, Question } from "./question.ts";
import type { Questions } from "./questions.ts";
import type { State } from "./state.ts";

function changesExpected(
  log: ChangeLog,
  version: number,
  state: State,
  asked: ChangesQuery,
): Expected {
  const { data, next } = log.page(version, state, asked);
  return {
    status: 200,
    check(body) {
      if (body.data.length !== data.length) return `${data.length} changes`;
      if (!data.every((one, at) => isSame(one, body.data[at]))) return "changes";
      const cursor = new URL(body.links.next).searchParams.get("page[after]");
      // The oldest position has a cursor that only the server knows.
      if (next === "oldest") return undefined;
      return cursor === next ? undefined : `links.next continues after ${cursor}, not ${next}`;
    },
  };
}

function chosen(questions: Questions, { playerIds }: State): Question {
  const { chance, log, readsLogFirst, often, some } = questions;
  const back = chance.pick([0, 1, 5, 30, 150, 1500]);
  const asked: ChangesQuery = {
    after: Math.max(-1, log.length - 1 - back),
    limit: chance.pick([1, 10, 50, 200]),
    ...(chance.oneIn(3) ? { playerIds: some(() => often(playerIds)!) } : {}),
    ...(chance.oneIn(4) ? { gameModes: [chance.pick(MODES)] } : {}),
  };
  const { after, limit, ...filters } = asked;
  const parameters = { "page[after]": log.cursor(after), "page[limit]": `${limit}` };
  return {
    kind: "changes",
    path: `${AT}/changes?${query({ ...parametersOf(filters), ...parameters })}`,
    needsLog: true,
    expect(current, _, from) {
      const first = readsLogFirst ? from : current.version;
      const versions = Array.from({ length: current.version - first + 1 }, (_, at) => first + at);
      return versions.map((version) => changesExpected(log, version, current, asked));
    },
  };
}

export const changes: FeatureQuestions = { named: ["changes"], kinds: [[5, chosen]] };
