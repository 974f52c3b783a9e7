/** What a document must contain, computed from parsed resources: the model of src/document/project.ts. */

import { isObject, keyOf, type Resource, references } from "../../src/domain/json.ts";
import { formatTimestamp } from "../../src/domain/time.ts";
import type { Shape } from "../../src/query/query.ts";

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
  return projected(
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
  return projected(decorated, [], shape).data;
}

/** If `related` contains a resource twice, the first one is used. Resources that nothing links to are removed. */
function projected(primary: Resource[], related: Resource[], shape: Shape): Projection {
  const index = new Map<string, Resource>();
  for (const resource of [...primary, ...related]) {
    if (!index.has(keyOf(resource))) index.set(keyOf(resource), resource);
  }
  const own = new Set(primary.map(keyOf));
  const wanted = shape.include ? onPaths(primary, shape.include, index) : linked(primary, index);
  const included = [...index].filter(([key]) => !own.has(key) && wanted.has(key));
  const trim = (resource: Resource) => trimmed(resource, shape.fields?.get(resource.type));
  return {
    data: primary.map(trim),
    included: included.map(([, resource]) => trim(resource)),
  };
}

/** All resources along the paths, including intermediate ones. */
function onPaths(
  primary: Resource[],
  paths: string[],
  index: ReadonlyMap<string, Resource>,
): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    let level = new Set(primary);
    for (const name of path.split(".")) {
      const next = new Set<Resource>();
      for (const resource of level) {
        for (const reference of references(resource.relationships?.[name])) {
          const target = index.get(keyOf(reference));
          if (!target) continue;
          found.add(keyOf(reference));
          next.add(target);
        }
      }
      level = next;
    }
  }
  return found;
}

/** All resources reachable by references. */
function linked(primary: Resource[], index: ReadonlyMap<string, Resource>): Set<string> {
  const found = new Set(primary.map(keyOf));
  // The set grows during iteration.
  for (const key of found) {
    for (const relationship of Object.values(index.get(key)?.relationships ?? {})) {
      for (const reference of references(relationship)) found.add(keyOf(reference));
    }
  }
  return found;
}

/** Field names cover attributes and relationships. Empty members are removed. */
function trimmed(resource: Resource, fields: ReadonlySet<string> | undefined): Resource {
  if (!fields) return resource;
  const kept = Object.entries(resource).flatMap(([member, value]) => {
    if (member !== "attributes" && member !== "relationships") return [[member, value] as const];
    if (!isObject(value)) return [];
    const entries = Object.entries(value).filter(([name]) => fields.has(name));
    return entries.length > 0 ? [[member, Object.fromEntries(entries)] as const] : [];
  });
  return Object.fromEntries(kept) as Resource;
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
