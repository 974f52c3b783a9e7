/** The "API" menu of a record: its ID, the link to the page, and its JSON. */

import { useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { Code } from "./code.tsx";
import { CopyButton, CopyMessage, useCopy } from "./copy.tsx";
import { useLoad } from "./load.ts";
import { Menu } from "./menu.tsx";
import { Loaded } from "./states.tsx";

interface Props {
  id: string;
  /** The path of the record in the API: "/shards/eu/players/…". */
  path: string;
}

export function ApiMenu({ id, path }: Props) {
  const { message, copy } = useCopy();
  const [isShown, setShown] = useState(false);
  const items = [
    { label: "Copy ID", onSelect: () => copy(id) },
    { label: "Copy link to this page", onSelect: () => copy(location.href) },
    { label: "Copy API URL", onSelect: () => copy(location.origin + path) },
    { label: "View JSON", onSelect: () => setShown(true) },
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
      {isShown && <JsonDialog path={path} close={() => setShown(false)} />}
    </span>
  );
}

/** Requests the path, so that it shows the response as a program gets it. */
function JsonDialog({ path, close }: { path: string; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const load = useLoad(path, (matchbook, signal) => matchbook.get(path, { signal }));
  const text = load.value ? JSON.stringify(load.value.document, null, 2) : "";
  return (
    <dialog ref={dialog} className="frame dialog dialog-wide" aria-label="JSON" onClose={close}>
      <div className="row dialog-head">
        <code className="small dialog-path">GET {path}</code>
        <CopyButton text={text} label="Copy JSON" />
        <Button look="small" onClick={() => dialog.current?.close()}>
          Close
        </Button>
      </div>
      <Loaded load={load} label="Loading the response">
        {() => <Code language="json" text={text} label="JSON response" />}
      </Loaded>
    </dialog>
  );
}
