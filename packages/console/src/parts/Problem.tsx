// An error, and what to do about it.
import { SvcError } from "@svc-runtime/client"
import { adviceOf, canBeRepeated, refusedFields } from "./ServiceError.ts"

export const Problem = ({ error, retry }: { readonly error: unknown; readonly retry?: (() => void) | undefined }) => {
  if (error === undefined || error === null) return null
  const { message } = error instanceof Error ? error : { message: String(error) }
  const advice = adviceOf(error, retry !== undefined)
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
