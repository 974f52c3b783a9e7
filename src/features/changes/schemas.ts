/** The response in the OpenAPI document. */

import { GAME_MODES } from "../../domain/modes.ts";
import {
  document,
  list,
  object,
  reference,
  resource,
  schema,
  TIME,
  URI,
} from "../../openapi/schema-parts.ts";
import { MAX_CHANGES } from "./parameters.ts";

export const SCHEMAS = {
  Change: resource("change", "A change of a served match.", {
    id: { type: "string", description: "The cursor after this change." },
    attributes: object({
      kind: { type: "string", enum: ["added", "replaced", "removed"] },
      changedAt: { ...TIME, description: "When the change was made." },
      createdAt: { ...TIME, description: "As of the match." },
      gameMode: { type: "string", enum: GAME_MODES, description: "As of the match." },
      patchVersion: { type: "string", description: "As of the match." },
    }),
    relationships: object({
      match: object({ data: reference("match") }),
      players: object({ data: list(reference("player")) }),
    }),
  }),
  ChangeList: document(
    { ...list(schema("Change"), MAX_CHANGES), description: "The oldest change first." },
    object({ self: URI, next: URI }),
  ),
};
