// The choice between approving and rejecting.
interface Props {
  /** Of the group of the two. */
  readonly name: string
  readonly confirmed: boolean | undefined
  readonly change: (confirmed: boolean) => void
}

export const Verdict = ({ change, confirmed, name }: Props) => (
  <fieldset>
    <legend class="hidden">Decision</legend>
    {[true, false].map((each) => (
      <label class="check" key={String(each)}>
        <input type="radio" name={name} checked={confirmed === each} onChange={() => change(each)} />
        {each ? "Approve" : "Reject"}
      </label>
    ))}
  </fieldset>
)
