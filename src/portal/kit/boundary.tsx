/**
 * In charge of what stands where a piece of the portal could not be shown. Pieces are loaded when they
 * are needed, and by then the service may be away, or may have newer pieces under other names.
 */

import { Component, type ReactNode } from "react";
import { Page } from "./page.tsx";

interface Props {
  /** Nothing else is on the page: it needs a heading and a title. */
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
    if (!this.props.isPage) return <LoadError />;
    return (
      <Page title="Not loaded" name="Not loaded">
        <LoadError />
      </Page>
    );
  }
}

function LoadError() {
  return (
    <div className="notice notice-bad" role="alert">
      <p className="notice-title">This part of the page could not be loaded</p>
      <div className="notice-text">
        <p>The service does not answer, or it was updated meanwhile.</p>
        <button type="button" className="button" onClick={reloadWhenReachable}>
          Try again
        </button>
      </div>
    </div>
  );
}

/** Only once the service answers: a browser's own page of errors would lead nowhere. */
function reloadWhenReachable(): void {
  fetch(location.href, { method: "HEAD" }).then(
    () => location.reload(),
    () => {},
  );
}
