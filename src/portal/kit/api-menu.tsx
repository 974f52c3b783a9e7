/** The "API" menu of a record: its ID, the link to the page, and its JSON. */

import { useEffect, useRef, useState } from "react";
import { Code } from "./code.tsx";
import { CopyButton, CopyMessage, useCopy } from "./copy.tsx";
import { Menu } from "./menu.tsx";

interface Props {
  id: string;
  /** The path of the record in the API: "/shards/eu/players/…". */
  path: string;
  /** The JSON:API document of the record; without it, the menu does not offer JSON. */
  document?: unknown;
}

export function ApiMenu({ id, path, document: json }: Props) {
  const { message, copy } = useCopy();
  const [isShown, setShown] = useState(false);
  const items = [
    { label: "Copy ID", onSelect: () => copy(id) },
    { label: "Copy link to this page", onSelect: () => copy(location.href) },
    { label: "Copy API URL", onSelect: () => copy(location.origin + path) },
    ...(json === undefined ? [] : [{ label: "View JSON", onSelect: () => setShown(true) }]),
  ];
  return (
    <span className="copy">
      <Menu
        label="API"
        head={
          <>
            <span className="note">ID</span>
            <code className="small menu-id">{id}</code>
          </>
        }
        items={items}
      />
      <CopyMessage>{message}</CopyMessage>
      {isShown && <JsonDialog path={path} json={json} close={() => setShown(false)} />}
    </span>
  );
}

function JsonDialog({ path, json, close }: { path: string; json: unknown; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const text = JSON.stringify(json, null, 2);
  return (
    <dialog ref={dialog} className="frame dialog dialog-wide" aria-label="JSON" onClose={close}>
      <div className="row dialog-head">
        <code className="small dialog-path">GET {path}</code>
        <CopyButton text={text} label="Copy JSON" />
        <button
          type="button"
          className="button button-small"
          onClick={() => dialog.current?.close()}
        >
          Close
        </button>
      </div>
      <Code language="json" text={text} label="JSON response" />
    </dialog>
  );
}
