/**
 * Error boundary for parts of the portal that fail to load. Scripts are loaded on demand; by then the server
 * may be unreachable, or an update may have replaced them under new names.
 */

import { Component, type ReactNode } from "react";
import { Page } from "./page.tsx";

interface Props {
  /** The boundary wraps a whole page, so the error needs a heading and a title. */
  isPage?: boolean;
  children: ReactNode;
}

interface State {
  hasFailed: boolean;
}

export class Boundary extends Component<Props, State> {
  override state: State = { hasFailed: false };

  static getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    if (!this.props.isPage) return <LoadError what="This part of the page" />;
    return (
      <Page title="Something went wrong" name="Something went wrong">
        <LoadError what="This page" />
      </Page>
    );
  }
}

/** Says that a script failed to load. Only a reload helps: the URL of the script may be gone. */
export function LoadError({ what }: { what: string }) {
  return (
    <div className="notice notice-bad" role="alert">
      <p className="notice-title">{what} failed to load</p>
      <div className="notice-text">
        <p>The server may be unreachable, or it was updated since you opened this page.</p>
        <button type="button" className="button" onClick={reloadWhenReachable}>
          Try again
        </button>
      </div>
    </div>
  );
}

/** Reloads only if the server responds, so that the visitor does not end on the browser's error page. */
function reloadWhenReachable(): void {
  fetch(location.href, { method: "HEAD" }).then(
    () => location.reload(),
    () => {},
  );
}
