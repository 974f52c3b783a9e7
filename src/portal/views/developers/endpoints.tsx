/** Every endpoint of the API, from the OpenAPI document of the server. Each has an anchor of its own. */

import "./endpoints.css";
import { Fragment, useEffect, useRef, useSyncExternalStore } from "react";
import { Code } from "../../kit/code.tsx";
import { CopyButton } from "../../kit/copy.tsx";
import { useLoad } from "../../kit/load.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Problem } from "../../kit/states.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Link, type View } from "../../router.ts";
import { useSession } from "../../session.ts";
import { newQuery, searchOf } from "../explorer/query.ts";
import { pathOf } from "../explorer/request.ts";
import { targetOfPath } from "../explorer/targets.ts";
import { Inline } from "./inline.tsx";
import { DeveloperPage } from "./layout.tsx";
import { groupsOf, type OpenApi, type Operation, type Parameter, typeName } from "./openapi.ts";
import { Sample } from "./sample.tsx";
import { SchemaTree } from "./schema-tree.tsx";

export function Endpoints() {
  const load = useLoad(
    "openapi",
    async (matchbook, signal) => (await matchbook.description({ signal })) as unknown as OpenApi,
  );
  return (
    <DeveloperPage
      current="endpoints"
      lead={
        <>
          Every endpoint with its parameters and responses, from the{" "}
          <a href="/openapi.json">OpenAPI document</a> of this server.
        </>
      }
    >
      {load.state === "failed" && <Problem error={load.error} retry={load.retry} />}
      {load.state === "loading" && !load.value && (
        <Skeleton label="Loading endpoints" shape="rows" count={12} height={44} />
      )}
      {load.value &&
        groupsOf(load.value).map(({ name, description, operations }) => (
          <section key={name} className="endpoints-group" aria-labelledby={`endpoints-${name}`}>
            <h2 id={`endpoints-${name}`}>{name.charAt(0).toUpperCase() + name.slice(1)}</h2>
            <p className="endpoints-about soft">{description}</p>
            {operations.map((operation) => (
              <OperationView
                key={operation.operationId}
                operation={operation}
                document={load.value!}
              />
            ))}
          </section>
        ))}
    </DeveloperPage>
  );
}

function OperationView({ operation, document }: { operation: Operation; document: OpenApi }) {
  const { operationId: id, path, summary } = operation;
  const isTarget = useHash() === id;
  const frame = useRef<HTMLDetailsElement>(null);
  // A link to this endpoint opens it. The content appears only now, too late for the browser to scroll to it.
  useEffect(() => {
    if (!isTarget || !frame.current || frame.current.open) return;
    frame.current.open = true;
    frame.current.scrollIntoView();
  }, [isTarget]);
  return (
    <details
      id={id}
      ref={frame}
      className="endpoint card fold"
      onToggle={({ currentTarget }) => {
        // So that the URL of the page is the link to what was opened last.
        if (currentTarget.open) history.replaceState(history.state, "", `#${id}`);
      }}
    >
      <summary className="endpoint-head">
        <span className="endpoint-method">GET</span>
        <code className="endpoint-path">{breakable(path)}</code>
        <span className="endpoint-summary small soft">{summary}</span>
      </summary>
      <OperationBody operation={operation} document={document} />
    </details>
  );
}

function OperationBody({ operation, document }: { operation: Operation; document: OpenApi }) {
  const { operationId: id, path, description = "", parameters, responses, security } = operation;
  const { shard } = useSession();
  const target = targetOfPath(path);
  const query = target && newQuery(target, shard);
  const [success] = Object.values(responses);
  const [media] = Object.values(success?.content ?? {});
  const tryOut = query
    ? ({ name: "explorer", search: searchOf(query) } as const)
    : TRY_OUTS[path as keyof typeof TRY_OUTS];
  return (
    <div className="stack endpoint-body">
      <p>
        <Inline text={description} />
      </p>
      <p className="row">
        {tryOut && (
          <Link className="button button-main button-small" to={tryOut}>
            {query ? "Try it in the Explorer" : "See the page"}
          </Link>
        )}
        <CopyButton text={`${location.origin}${location.pathname}#${id}`} label="Copy link">
          Copy link
        </CopyButton>
      </p>
      <h3>Request</h3>
      <Sample path={query ? pathOf(query) : path} needsKey={security?.length !== 0} />
      {parameters.length > 0 && (
        <>
          <h3>Parameters</h3>
          <Table
            caption={`Parameters of ${path}`}
            columns={PARAMETER_COLUMNS}
            rows={parameters}
            keyOf={({ name }) => name}
          />
        </>
      )}
      <h3>Response</h3>
      {media?.schema && <SchemaTree document={document} schema={media.schema} />}
      {media?.example !== undefined && (
        <details className="endpoint-example">
          <summary>Example</summary>
          <Code
            language="json"
            text={JSON.stringify(media.example, null, 2)}
            label={`Example response of ${path}`}
          />
        </details>
      )}
      <dl className="endpoint-statuses small soft">
        {Object.entries(responses).map(([status, { description: about }]) => (
          <Fragment key={status}>
            <dt>{status}</dt>
            <dd>
              <Inline text={about} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </div>
  );
}

/** Pages of the portal that show the response of an endpoint. */
const TRY_OUTS = {
  "/usage": { name: "developers", page: "usage" },
  "/status": { name: "status" },
} as const satisfies Record<string, View>;

const PARAMETER_COLUMNS: readonly Column<Parameter>[] = [
  {
    head: "Name",
    isHead: true,
    cell: ({ name, required, in: place }) => (
      <>
        <code className="endpoint-name">{name}</code>
        <span className="endpoint-place note">
          {place}
          {required && <b className="endpoint-required"> required</b>}
        </span>
      </>
    ),
  },
  {
    head: "Description",
    cell: ({ description = "", schema = {}, example }) => (
      <div className="endpoint-text">
        <Inline text={description} />
        <span className="endpoint-place note">
          {typeName(schema)}
          {schema.enum && `: ${schema.enum.join(", ")}`}
          {example !== undefined && (
            <>
              , e.g. <code>{String(example)}</code>
            </>
          )}
        </span>
      </div>
    ),
  },
];

/** A long path may wrap before each slash. */
const breakable = (path: string) =>
  path.split(/(?=\/)/).map((part) => (
    <Fragment key={part}>
      <wbr />
      {part}
    </Fragment>
  ));

/** The fragment of the URL. */
const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash.slice(1));

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
