/** The OpenAPI document, extended by what docs/compatibility.md promises of the profile gamelocker. */

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  minItems?: number;
  [keyword: string]: unknown;
}

interface Document {
  components: { schemas: Record<string, Schema> };
}

const TEXT: Schema = { type: "string" };
const TIME: Schema = { type: "string", format: "date-time" };
const EMPTY: Schema = { type: "object", maxProperties: 0 };
const MANY: Schema = {
  type: "object",
  properties: { data: { type: "array" } },
  required: ["data"],
};

/** With `isSparse`, `fields[…]` may have removed members of resources. */
export function compatDescription<D extends object>(strict: D, isSparse: boolean): D {
  const extended = structuredClone(strict);
  const { schemas } = (extended as unknown as Document).components;
  const add = (type: string, member: string, added: Record<string, Schema>) => {
    const resource = schemas[type]!;
    resource.properties![member] ??= { type: "object" };
    const inside = resource.properties![member]!;
    inside.properties = { ...inside.properties, ...added };
    if (isSparse) return;
    inside.required = [...(inside.required ?? []), ...Object.keys(added)];
    resource.required = [...new Set([...resource.required!, member])];
  };
  add("Match", "attributes", { titleId: TEXT });
  add("Match", "relationships", { assets: MANY, rounds: MANY, spectators: MANY });
  add("Player", "attributes", { titleId: TEXT, createdAt: TIME });
  add("Player", "relationships", { assets: MANY });
  const team = schemas.Roster!.properties!.relationships!.properties!.team!;
  const data: Schema = { anyOf: [team.properties!.data!, { type: "null" }] };
  add("Roster", "relationships", { team: { ...team, properties: { data } } });
  add("Participant", "relationships", {});
  for (const name of [
    "SingleMatch",
    "PlayerList",
    "SinglePlayer",
    "NameList",
    "NameSearch",
    "ChangeList",
  ]) {
    const document = schemas[name];
    if (!document) continue;
    const own = document.properties!.meta;
    document.properties!.meta = own ? { anyOf: [own, EMPTY] } : EMPTY;
    document.required = [...document.required!, "meta"];
  }
  for (const name of ["MatchList", "PlayerList"]) schemas[name]!.properties!.data!.minItems = 1;
  schemas.Status!.properties!.data = {
    type: "object",
    properties: {
      type: { const: "status" },
      id: { const: "matchbook" },
      attributes: {
        type: "object",
        properties: { version: TEXT, releasedAt: TIME },
        required: ["version", "releasedAt"],
      },
    },
    required: ["type", "id", "attributes"],
  };
  schemas.Status!.required!.push("data");
  return extended;
}
