/** The heroes page: which heroes win in a region, by mode and patch. */

import { PRIVATE_MODE } from "../../../domain/modes.ts";
import { counted } from "../../format.ts";
import { useLoad } from "../../kit/load.ts";
import { NeedsKey } from "../../kit/needs-key.tsx";
import { Page } from "../../kit/page.tsx";
import { RegionPicker } from "../../kit/region-picker.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { Empty, Problem } from "../../kit/states.tsx";
import { modeName } from "../../names.ts";
import { navigate } from "../../router.ts";
import { useSession } from "../../session.ts";
import { FilterBar, type FilterProps } from "./filter-bar.tsx";
import { type Filters, filtersOf, searchOf } from "./filters.ts";
import { HeroTable } from "./hero-table.tsx";
import { Leaders } from "./leaders.tsx";
import { type HeroRow, rowsOf, sorted } from "./table.ts";
import "./view.css";

interface Props {
  shard: string;
  search: URLSearchParams;
}

export default function Heroes({ shard, search }: Props) {
  const { access } = useSession();
  const filters = filtersOf(search);
  const show = (changes: Partial<Filters>) =>
    navigate({ name: "heroes", shard, search: searchOf({ ...filters, ...changes }) }, "replace");
  return (
    <Page
      title={`Heroes in ${shard.toUpperCase()}`}
      name={`Heroes in ${shard.toUpperCase()}`}
      lead="Who wins, who is played most, and how they do on average."
      aside={
        <RegionPicker
          value={shard}
          onChange={(region) => navigate({ name: "heroes", shard: region, search })}
        />
      }
    >
      {access === "none" ? (
        <NeedsKey what="hero statistics" />
      ) : (
        <Statistics shard={shard} filters={filters} show={show} />
      )}
    </Page>
  );
}

function Statistics({ shard, filters, show }: FilterProps) {
  const { mode, patch } = filters;
  const load = useLoad(`heroes ${shard} ${mode} ${patch}`, async (matchbook, signal) => {
    const found = await matchbook.shard(shard).heroes({
      ...(mode && { gameMode: [mode] }),
      ...(patch && { patchVersion: [patch] }),
      signal,
    });
    return { ...found, rows: rowsOf(found.heroes) };
  });
  // The table of the last filters stays while the next one loads.
  const found = load.value ?? load.before;
  return (
    <div className="stack tall heroes">
      <FilterBar shard={shard} filters={filters} show={show} />
      {load.state === "failed" ? (
        <Problem error={load.error} retry={load.retry} />
      ) : found === undefined ? (
        <>
          <Skeleton label="Loading heroes" shape="cards" count={4} height={92} />
          <Skeleton label="Loading table" shape="rows" count={14} height={52} />
        </>
      ) : (
        <div className="stack heroes-found" aria-busy={load.state === "loading"}>
          <Found {...found} filters={filters} show={show} />
        </div>
      )}
    </div>
  );
}

interface FoundProps extends Omit<FilterProps, "shard"> {
  rows: readonly HeroRow[];
  matches: number;
  isTruncated: boolean;
}

function Found({ rows, matches, isTruncated, filters, show }: FoundProps) {
  if (rows.length === 0) {
    return (
      <Empty title="No heroes found">
        <p>No match counts with these filters{filters.mode && ` (${modeName(filters.mode)})`}.</p>
        <button
          type="button"
          className="button"
          onClick={() => show({ mode: undefined, patch: undefined })}
        >
          Show all modes and patches
        </button>
      </Empty>
    );
  }
  return (
    <>
      <Leaders rows={rows} />
      <p className="small soft" role="status">
        {counted(rows.length, "hero", "heroes")} in {counted(matches, "match", "matches")}. Matches
        of the mode {modeName(PRIVATE_MODE)} do not count.
      </p>
      {isTruncated && (
        <p className="notice heroes-note">
          Not all heroes are shown: these are the {counted(rows.length, "hero", "heroes")} played
          most among those that could be read. Choose a mode or a patch to see others.
        </p>
      )}
      <HeroTable rows={sorted(rows, filters.sort)} sort={filters.sort} show={show} />
    </>
  );
}
