/** A bar without a label: the number is shown beside it. */

export function Bar({ value = 0, of }: { value: number | undefined; of: number }) {
  const share = of > 0 ? Math.min(1, Math.max(0, value / of)) : 0;
  return (
    <span className="bar" aria-hidden="true">
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}
