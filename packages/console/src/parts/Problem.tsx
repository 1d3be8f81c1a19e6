// An error, and what to do about it.
import { SvcError } from "@svc-runtime/client"
import { adviceOf, canBeRepeated, isConflict, refusedFields } from "./ServiceError.ts"

interface Props {
  readonly error: unknown
  readonly retry?: (() => void) | undefined
  /** It was about decisions of a person: another one was first. */
  readonly isDecision?: boolean
}

export const Problem = ({ error, isDecision = false, retry }: Props) => {
  if (error === undefined || error === null) return null
  const { message } = error instanceof Error ? error : { message: String(error) }
  const advice = isDecision && isConflict(error)
    ? "It has been decided meanwhile, in another tab or by another person. This page shows what still waits."
    : adviceOf(error, retry !== undefined)
  const id = error instanceof SvcError ? error.requestId : undefined
  const fields = refusedFields(error)
  return (
    <div class="problem" role="alert">
      <p>{message}</p>
      {fields.length === 0 ? null : <ul>{fields.map((field) => <li key={field}>{field}</li>)}</ul>}
      {advice === undefined ? null : <p>{advice}</p>}
      {id === undefined ? null : <p class="quiet">Request {id}</p>}
      {retry === undefined || !canBeRepeated(error) ? null : <button type="button" onClick={retry}>Try again</button>}
    </div>
  )
}
