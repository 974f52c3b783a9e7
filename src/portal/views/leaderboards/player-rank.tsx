/** Finds a player's rank on a leaderboard: a name with suggestions, then their entry. */

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { PlayerName, Schemas } from "../../../../client/src/index.ts";
import { count, counted } from "../../format.ts";
import { type Load, useLoad } from "../../kit/load.ts";
import { Problem } from "../../kit/states.tsx";
import { Avatar } from "../../kit/tile.tsx";
import { playerName } from "../../names.ts";
import { Link } from "../../router.ts";
import { useSession } from "../../session.ts";
import { type Board, type Period, pathOf, valueText, WORDS } from "./boards.ts";

interface Props {
  shard: string;
  board: Board;
  period: Period;
  player: string | undefined;
  /** Without an argument, nobody is looked for any more. */
  onPick(id?: string): void;
}

/** In milliseconds, so that not every letter costs a request. */
const PAUSE = 200;
const SHORTEST = 2;
const MOST = 6;

export function PlayerRank({ shard, board, period, player, onPick }: Props) {
  const [picked, setPicked] = useState<PlayerName>();
  return (
    <section className="card boards-finder" aria-labelledby="find-rank">
      <h2 id="find-rank">Find a player's rank</h2>
      <NameField
        key={shard}
        shard={shard}
        onPick={(name) => {
          setPicked(name);
          onPick(name.id);
        }}
      />
      {player !== undefined && (
        // A new one for each entry, so that no other player's or board's is shown while it loads.
        <Found
          key={`${board} ${period} ${player}`}
          {...{ shard, board, period, player }}
          name={picked?.id === player ? picked.name : undefined}
          onClear={() => onPick()}
        />
      )}
    </section>
  );
}

/** A combobox: arrow keys move through the suggestions, Enter takes the marked or the best one. */
function NameField({ shard, onPick }: { shard: string; onPick(name: PlayerName): void }) {
  const id = useId();
  const { matchbook } = useSession();
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(-1);
  const [near, setNear] = useState("");
  /** Enter was pressed before the suggestions arrived: takes the best one when they do. */
  const takesBest = useRef(false);
  useEffect(() => {
    takesBest.current = false;
    const timer = setTimeout(() => setNear(typed.trim()), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  const load = useLoad(
    async (signal): Promise<{ near: string; names: PlayerName[] }> => {
      if (near.length < SHORTEST) return { near, names: [] };
      const names = await matchbook.shard(shard).playerNames(near.slice(0, 64), { signal });
      return { near, names: names.slice(0, MOST) };
    },
    [matchbook, shard, near],
  );
  const names = typed.trim().length < SHORTEST ? [] : (load.value?.names ?? []);
  const pick = (name: PlayerName | undefined) => {
    if (!name) return;
    setOpen(false);
    setMarked(-1);
    setTyped("");
    setNear("");
    onPick(name);
  };
  const isCurrent = load.state === "ready" && load.value.near === typed.trim();
  useEffect(() => {
    if (takesBest.current && isCurrent) pick(load.value?.names[0]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") setOpen(false);
    if (event.key === "Enter") {
      event.preventDefault();
      if (marked >= 0 || isCurrent) pick(names[Math.max(0, marked)]);
      else {
        takesBest.current = true;
        setNear(typed.trim());
      }
    }
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && names.length > 0) {
      event.preventDefault();
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      const count = names.length;
      setMarked((now) => (now < 0 && step < 0 ? count - 1 : (now + step + count) % count));
    }
  };
  const isListed = isOpen && names.length > 0;
  const isNobody = isCurrent && near.length >= SHORTEST && names.length === 0;
  return (
    <div className="boards-field">
      <label htmlFor={id} className="visually-hidden">
        Player name
      </label>
      <input
        id={id}
        className="input"
        role="combobox"
        aria-expanded={isListed}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isListed && marked >= 0 ? `${id}-${marked}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="Player name"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setOpen(true);
          setMarked(-1);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <div
        id={`${id}-list`}
        className="boards-names"
        role="listbox"
        aria-label="Players"
        hidden={!isListed}
      >
        {names.map((name, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the field, which keeps the focus.
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
          <div
            key={name.id}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === marked}
            className="boards-suggestion"
            // Keeps the focus in the field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(name)}
          >
            <Avatar id={name.id} name={playerName(name.name)} size={24} />
            <span className="boards-name">{playerName(name.name)}</span>
          </div>
        ))}
      </div>
      <p className="boards-hint" role="status">
        {isNobody ? `No player in ${shard.toUpperCase()} has a name like this.` : ""}
      </p>
      {load.state === "failed" && <Problem error={load.error} retry={load.retry} />}
    </div>
  );
}

type FoundProps = Omit<Props, "onPick" | "player"> & {
  player: string;
  /** Known if the player was picked here, and not named by the URL. */
  name: string | undefined;
  onClear(): void;
};

function Found({ shard, board, period, player, name, onClear }: FoundProps) {
  const { matchbook } = useSession();
  const load = useLoad(
    async (signal) => {
      const path = pathOf(shard, board, period, [player]);
      const { document } = await matchbook.get<Schemas.Leaderboard>(path, { signal });
      return document;
    },
    [matchbook, shard, board, period, player],
  );
  return (
    <div className="boards-result" aria-live="polite" aria-busy={load.state === "loading"}>
      <Result {...{ shard, board, load, player, name }} />
      <button type="button" className="button button-small" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}

interface ResultProps extends Pick<FoundProps, "shard" | "board" | "player" | "name"> {
  load: Load<Schemas.Leaderboard>;
}

function Result({ shard, board, load, player, name }: ResultProps) {
  if (load.state === "failed") return <Problem error={load.error} retry={load.retry} />;
  if (load.value === undefined) return <p className="boards-hint">Loading rank…</p>;
  const entry = load.value.data.find(({ id }) => id === player);
  const { depth } = load.value.meta;
  if (!entry) {
    return (
      <p>
        {name ? <PlayerLink {...{ shard, player, name }} /> : "This player"} is not on this
        leaderboard. {WORDS[board].listed}
      </p>
    );
  }
  const { rank, value, matches } = entry.attributes;
  return (
    <div className="boards-entry">
      <Avatar id={player} name={playerName(entry.attributes.name)} size={44} />
      <div>
        <PlayerLink {...{ shard, player, name: entry.attributes.name }} />
        <p className="boards-hint">
          {valueText(board, value)}
          {matches !== undefined && `, ${counted(matches, "match", "matches")}`}
        </p>
      </div>
      <p className="boards-place">
        {rank === null ? (
          <>Beyond the first {count(depth)}</>
        ) : (
          <>
            <span className="visually-hidden">Rank </span>
            <span aria-hidden="true">#</span>
            {count(rank)}
          </>
        )}
      </p>
    </div>
  );
}

function PlayerLink({ shard, player, name }: { shard: string; player: string; name: string }) {
  return (
    <Link className="boards-name" to={{ name: "player", shard, id: player }}>
      {playerName(name)}
    </Link>
  );
}
