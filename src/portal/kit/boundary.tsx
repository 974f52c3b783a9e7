/** The error boundary of a page: a script that failed to load, or a fault of the portal. */

import { Component, lazy, type ReactNode } from "react";
import { Page } from "./page.tsx";
import { Notice } from "./problem.tsx";

/** The server is unreachable, or an update has replaced the script under a new name. */
class ScriptError extends Error {}

/** A page whose script is loaded when it is opened. */
export const lazyPage: typeof lazy = (load) =>
  lazy(() =>
    load().catch((cause) => {
      throw new ScriptError("The script of this page failed to load", { cause });
    }),
  );

export class Boundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Page title="Something went wrong" name="Something went wrong">
        {error instanceof ScriptError ? (
          <LoadError />
        ) : (
          <Notice title="This page can't be shown" retry={reloadWhenReachable}>
            <p>
              This is a fault in the portal. Nothing is wrong with the server or with what you
              entered: {String(error)}
            </p>
          </Notice>
        )}
      </Page>
    );
  }
}

/** Says that a script failed to load. Only a reload helps: the URL of the script may be gone. */
export const LoadError = () => (
  <Notice title="This page failed to load" retry={reloadWhenReachable}>
    <p>The server may be unreachable, or it was updated since you opened this page.</p>
  </Notice>
);

/** Reloads only if the server responds, so that the visitor does not end on the browser's error page. */
function reloadWhenReachable(): void {
  fetch(location.href, { method: "HEAD" }).then(
    () => location.reload(),
    () => {},
  );
}
