/** A menu behind a button, by the menu button pattern: arrow keys, Home, End, Escape. */

import "./menu.css";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "./button.tsx";

interface Props {
  /** The text of the button. */
  label: ReactNode;
  /** Shown above the items. */
  head?: ReactNode;
  items: readonly { label: string; onSelect(): void }[];
}

export function Menu({ label, head, items }: Props) {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();

  const close = (takesFocus: boolean) => {
    setOpen(false);
    if (takesFocus) button.current?.focus();
  };

  useEffect(() => {
    if (!isOpen) return;
    frame.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const onPointer = ({ target }: PointerEvent) => {
      if (!frame.current?.contains(target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", onPointer);
    return () => removeEventListener("pointerdown", onPointer);
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) {
      if (event.key === "ArrowDown") {
        event.preventDefault();
        setOpen(true);
      }
      return;
    }
    if (event.key === "Escape") return close(true);
    if (event.key === "Tab") return close(false);
    const all = [...frame.current!.querySelectorAll<HTMLElement>("[role=menuitem]")];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the button and the items.
    <div className="menu" ref={frame} onKeyDown={onKeyDown}>
      <Button
        ref={button}
        look="small"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
        <span className="arrow" aria-hidden="true" />
      </Button>
      {isOpen && (
        <div className="frame menu-panel">
          {head && <div className="menu-head">{head}</div>}
          <div id={id} role="menu" className="menu-items">
            {items.map((item) => (
              <button
                key={item.label}
                type="button"
                role="menuitem"
                tabIndex={-1}
                className="menu-item"
                onClick={() => {
                  close(true);
                  item.onSelect();
                }}
              >
                {item.label}
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
