/** What a document must contain, computed from parsed resources: the model of src/document/project.ts. */

import type { Resource } from "../../src/domain/json.ts";
import { formatTimestamp } from "../../src/domain/time.ts";
import type { Shape } from "../../src/query/query.ts";
import { key, linkedFrom, projected, type Thing } from "../model/record.ts";

export interface Page {
  matches: { match: Resource; own: Resource[] }[];
  players: NamedResource[];
  teams: NamedResource[];
}

export interface NamedResource {
  resource: Resource;
  companions: Resource[];
  lastMatchAt: number | undefined;
}

export interface Projection {
  data: Resource[];
  included: Resource[];
}

/** The matches of a page with what they include. */
export function projectedPage(page: Page, shape: Shape, isCompatible: boolean): Projection {
  const decorate = isCompatible ? withExpectedMembers : (resource: Resource) => resource;
  const { matches, players, teams } = page;
  const related = [
    ...matches.flatMap(({ own }) => own).map((one) => decorate(one)),
    ...players.map(({ resource, lastMatchAt }) => decorate(resource, lastMatchAt)),
    ...teams.map(({ resource }) => decorate(resource)),
    ...[...players, ...teams].flatMap(({ companions }) => companions).map((one) => decorate(one)),
  ];
  return projectedWith(
    matches.map(({ match }) => decorate(match)),
    related,
    shape,
  );
}

/** Players without anything else. */
export function projectedPlayers(
  players: NamedResource[],
  shape: Shape,
  isCompatible: boolean,
): Resource[] {
  const decorated = players.map(({ resource, lastMatchAt }) =>
    isCompatible ? withExpectedMembers(resource, lastMatchAt) : resource,
  );
  return projectedWith(decorated, [], shape).data;
}

/** If `related` contains a resource twice, the first one is used. Resources that nothing links to are removed. */
function projectedWith(primary: Resource[], related: Resource[], shape: Shape): Projection {
  const index = new Map<string, Thing>();
  for (const one of [...primary, ...related] as unknown as Thing[]) {
    if (!index.has(key(one))) index.set(key(one), one);
  }
  const data = primary as unknown as Thing[];
  const own = new Set(data.map(key));
  const all = shape.include ? [...index.values()] : linkedFrom(data, index);
  const included = [...index.values()].filter((one) => !own.has(key(one)) && all.includes(one));
  const fields = [...(shape.fields ?? [])].map(([type, names]) => [type, [...names]] as const);
  const whole = { data, included };
  return projected(whole, shape.include, Object.fromEntries(fields)) as unknown as Projection;
}

/** By type, the relationships that clients of the profile "gamelocker" expect. */
const EXPECTED: ReadonlyMap<string, Record<string, [] | null>> = new Map([
  ["match", { assets: [], rounds: [], spectators: [] }],
  ["player", { assets: [] }],
  ["roster", { team: null }],
  ["participant", {}],
]);
const TITLED: ReadonlySet<string> = new Set(["match", "player"]);

function withExpectedMembers(resource: Resource, lastMatchAt?: number): Resource {
  const expected = EXPECTED.get(resource.type);
  if (!expected) return resource;
  const { attributes = {}, relationships = {} } = resource;
  const { titleId, titleID } = attributes;
  const title = TITLED.has(resource.type) ? { titleId: titleId ?? titleID ?? "" } : {};
  const time = lastMatchAt === undefined ? {} : { createdAt: formatTimestamp(lastMatchAt) };
  const links = Object.entries(expected).map(([name, data]) => [
    name,
    { data, ...relationships[name] },
  ]);
  return {
    ...resource,
    attributes: { ...time, ...attributes, ...title },
    relationships: { ...relationships, ...Object.fromEntries(links) },
  };
}
