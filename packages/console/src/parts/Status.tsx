// The state of a run or of an approval.
export const Status = ({ value }: { readonly value: string | null | undefined }) =>
  value === null || value === undefined
    ? null
    : <span class={`status ${value.toLowerCase()}`}>{value.toLowerCase()}</span>
