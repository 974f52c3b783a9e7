/** In charge of writing JSON in one canonical form, so that equal values give equal bytes. */

import type { Json, Resource } from "../domain/json.ts";

const RESOURCE_MEMBERS = ["type", "id", "attributes", "relationships"];

/** JSON with the members of every object in code-unit order. */
export function canonicalJson(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return `${value === 0 ? 0 : value}`;
  if (Array.isArray(value)) {
    let text = "[";
    for (let index = 0; index < value.length; index++) {
      if (index > 0) text += ",";
      text += canonicalJson(value[index]!);
    }
    return `${text}]`;
  }
  return writeMembers(Object.keys(value).sort(), value);
}

/** A resource: the members everyone looks for first, then any others in order. */
export function canonicalResource(resource: Resource): string {
  const others = Object.keys(resource).filter((member) => !RESOURCE_MEMBERS.includes(member));
  const members = RESOURCE_MEMBERS.filter((member) => resource[member] !== undefined);
  return writeMembers([...members, ...others.sort()], resource);
}

export function canonicalList(resources: Resource[]): string {
  return resources.map(canonicalResource).join(",");
}

function writeMembers(names: string[], from: { [member: string]: unknown }): string {
  let text = "{";
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    if (index > 0) text += ",";
    text += `${JSON.stringify(name)}:${canonicalJson(from[name] as Json)}`;
  }
  return `${text}}`;
}
