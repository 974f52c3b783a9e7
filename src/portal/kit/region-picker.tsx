/** A field to choose a region, also for the pages that follow. The one with the newest match is listed first. */

import { useId } from "react";
import { useRegions } from "../regions.ts";
import { useSession } from "../session.ts";

interface Props {
  value: string;
  onChange(region: string): void;
}

export function RegionPicker({ value, onChange }: Props) {
  const { regions } = useRegions();
  const { setShard } = useSession();
  const id = useId();
  const known = regions.map((region) => region.id);
  // The region of a shared link may be unavailable, or not known yet.
  const ids = value === "" || known.includes(value) ? known : [value, ...known];
  return (
    <span className="row note">
      <label htmlFor={id}>Region</label>
      <select
        id={id}
        className="input input-small"
        value={value}
        disabled={ids.length === 0}
        onChange={({ target }) => {
          setShard(target.value);
          onChange(target.value);
        }}
      >
        {(ids.length === 0 || value === "") && <option value="">None yet</option>}
        {ids.map((one) => (
          <option key={one} value={one}>
            {one.toUpperCase()}
          </option>
        ))}
      </select>
    </span>
  );
}
