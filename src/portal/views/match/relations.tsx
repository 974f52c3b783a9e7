/** In charge of what a match links to beside its rosters: files, rounds, and whatever else there is. */

import { textIn } from "../../format.ts";
import { statName } from "../../names.ts";
import { otherValues } from "./extras.ts";
import type { Linked, Relation } from "./record.ts";

export function Relations({ relations }: { relations: readonly Relation[] }) {
  if (relations.length === 0) return null;
  return (
    <dl className="match-relations">
      {relations.map(({ name, resources }) => (
        <div key={name}>
          <dt>{statName(name)}</dt>
          {resources.length === 0 ? (
            <dd className="match-none">None</dd>
          ) : (
            resources.map((one) => (
              <dd key={`${one.type} ${one.id}`}>
                <Resource resource={one} />
              </dd>
            ))
          )}
        </div>
      ))}
    </dl>
  );
}

function Resource({ resource: { type, id, attributes } }: { resource: Linked }) {
  const address = textIn(attributes, "URL") ?? textIn(attributes, "url");
  const facts = otherValues(attributes, ["URL", "url", "shardId", "name"]);
  return (
    <>
      <span className="match-resource-name">{textIn(attributes, "name") ?? `${type} ${id}`}</span>
      {address && <Address address={address} />}
      {facts.length > 0 && (
        <span className="match-resource-facts">
          {facts.map(({ name, text }) => `${name}: ${text}`).join(" · ")}
        </span>
      )}
    </>
  );
}

/** Records may hold any text here, and only an address of the web may become a link. */
function Address({ address }: { address: string }) {
  if (!isOfTheWeb(address)) return <span className="match-address">{address}</span>;
  return (
    <a className="match-address" href={address} rel="noopener noreferrer" target="_blank">
      {address}
    </a>
  );
}

function isOfTheWeb(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
