/** Resources that a match links to besides its rosters, such as files and rounds. */

import { textIn } from "../../format.ts";
import type { Match, Readable } from "../../match.ts";
import { statName } from "../../names.ts";
import { otherValues } from "./extras.ts";

export function Relations({ relations }: { relations: Match["relations"] }) {
  return (
    <dl className="match-linked">
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

function Resource({ resource: { type, id, attributes } }: { resource: Readable }) {
  const url = textIn(attributes, "URL") ?? textIn(attributes, "url");
  const facts = otherValues(attributes, ["URL", "url", "shardId", "name"]).filter(
    ({ key }) => attributes[key] !== "" && attributes[key] !== null,
  );
  return (
    <>
      <span className="match-resource-name">{textIn(attributes, "name") ?? `${type} ${id}`}</span>
      {url && <ResourceUrl url={url} />}
      {facts.length > 0 && (
        <span className="match-resource-facts">
          {facts.map(({ name, text }) => `${name}: ${text}`).join(" · ")}
        </span>
      )}
    </>
  );
}

/** Records may contain any text here; only http and https URLs become links. */
function ResourceUrl({ url }: { url: string }) {
  if (!isWebUrl(url)) return <span className="match-url">{url}</span>;
  return (
    <a className="match-url" href={url} rel="noopener noreferrer" target="_blank">
      {url}
    </a>
  );
}

function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
