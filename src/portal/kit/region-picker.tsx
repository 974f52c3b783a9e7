/** A field to choose a region, also for the pages that follow. The one with the newest match is listed first. */

import { useRegions } from "../regions.ts";
import { useSession } from "../session.ts";
import { Select } from "./select.tsx";

interface Props {
  value: string;
  onChange(region: string): void;
}

export function RegionPicker({ value, onChange }: Props) {
  const { regions } = useRegions();
  const { setShard } = useSession();
  const known = regions.map((region) => region.id);
  // The region of a shared link may be unavailable, or not known yet.
  const ids = value === "" || known.includes(value) ? known : [value, ...known];
  return (
    <Select
      className="row note"
      isSmall
      label="Region"
      value={value}
      isDisabled={ids.length === 0}
      options={[
        ...(ids.length === 0 || value === "" ? [["", "None yet"] as const] : []),
        ...ids.map((one) => [one, one.toUpperCase()] as const),
      ]}
      onChange={(region) => {
        setShard(region);
        onChange(region);
      }}
    />
  );
}
