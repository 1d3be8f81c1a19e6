// An error, and what to do about it.
import { SvcConnectionError, SvcError } from "@svc/client"

const adviceOf = (error: unknown): string | undefined => {
  if (error instanceof SvcConnectionError) return "The service does not answer. Is it running? Try again in a moment."
  if (!(error instanceof SvcError)) return undefined
  if (error.status === 403) return "Your token lacks the scope for this. Use another token, or ask the operator."
  if (error.status === 429 || error.status === 503) {
    return `Try again ${error.retryAfter === undefined ? "in a moment" : `in ${error.retryAfter} seconds`}.`
  }
  return undefined
}

export const Problem = ({ error, retry }: { readonly error: unknown; readonly retry?: (() => void) | undefined }) => {
  if (error === undefined || error === null) return null
  const { message } = error instanceof Error ? error : { message: String(error) }
  const advice = adviceOf(error)
  const id = error instanceof SvcError ? error.requestId : undefined
  const fields = error instanceof SvcError ? error.problems : []
  return (
    <div class="problem" role="alert">
      <p>{message}</p>
      {fields.length === 0
        ? null
        : <ul>{fields.map(({ loc, msg }) => <li>{`${loc.slice(1).join(".")}: ${msg}`}</li>)}</ul>}
      {advice === undefined ? null : <p>{advice}</p>}
      {id === undefined ? null : <p class="quiet">Request {id}</p>}
      {retry === undefined ? null : <button type="button" onClick={retry}>Try again</button>}
    </div>
  )
}
