/** The API reference page: the OpenAPI document in Swagger UI, with requests to try. */

import "./view.css";
import { useEffect, useRef } from "react";
import { useLoad } from "../../kit/load.ts";
import { Page } from "../../kit/page.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { useSession } from "../../session.ts";
import { keepAccessible } from "./accessibility.ts";
import { simplifiedDescription } from "./simplify.ts";
import { loadSwaggerUi } from "./swagger-ui.ts";

export default function Reference() {
  const { matchbook } = useSession();
  const load = useLoad(async (signal) => {
    const [description, show] = await Promise.all([
      matchbook.description({ signal }),
      loadSwaggerUi(),
    ]);
    return { description, show };
  }, []);
  return (
    <Page
      name="API reference"
      title="API reference"
      lead={
        <>
          Every endpoint with its parameters and responses, generated from the{" "}
          <a href="/openapi.json">OpenAPI spec</a>. Open an endpoint and send a request with your
          key.
        </>
      }
    >
      {load.state === "failed" && <Problem error={load.error} retry={load.retry} />}
      {load.value === undefined && load.state === "loading" && (
        <Loading label="Loading API reference" lines={14} />
      )}
      {load.value && <SwaggerUi {...load.value} />}
    </Page>
  );
}

interface Props {
  description: object;
  show: Awaited<ReturnType<typeof loadSwaggerUi>>;
}

function SwaggerUi({ description, show }: Props) {
  const { key, shard } = useSession();
  const frame = useRef<HTMLDivElement>(null);
  const latestKey = useRef(key);
  latestKey.current = key;
  useEffect(() => {
    const place = document.createElement("div");
    frame.current?.append(place);
    const shown = simplifiedDescription(description as Record<string, unknown>, shard);
    show(place, shown, () => latestKey.current);
    const stop = keepAccessible(place);
    return () => {
      stop();
      place.remove();
    };
  }, [description, shard, show]);
  return (
    <div className="reference-page" ref={frame}>
      <h2 className="visually-hidden">Endpoints</h2>
    </div>
  );
}
