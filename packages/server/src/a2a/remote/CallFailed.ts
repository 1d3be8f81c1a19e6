// Why a request to a remote agent has no usable response, and what that means for sending it again.
import type { Remote } from "@svc-runtime/agents/remote/RemoteTasks"
import type { FetchError } from "@svc-runtime/fetch"
import type * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import { redact } from "@svc-runtime/telemetry/Redaction"
import { Data, Redacted } from "effect"

export class CallFailed extends Data.TaggedError("CallFailed")<{
  /**
   * `unsent`: it had no effect, and another attempt can succeed. `lost`: it may have had its effect. `refused`: another
   * attempt is refused too.
   */
  readonly kind: "unsent" | "lost" | "refused"
  readonly message: string
  readonly reason: A2aError.Reason | undefined
  /** The seconds that the remote service wants until the next attempt. */
  readonly retryAfter: number
}> {}

const make = (
  kind: CallFailed["kind"],
  message: string,
  reason: A2aError.Reason | undefined = undefined,
  retryAfter = 0
): CallFailed => new CallFailed({ kind, message, reason, retryAfter })

export const refused = (message: string): CallFailed => make("refused", message)

export const lost = (message: string): CallFailed => make("lost", message)

export const ofFetch = ({ id }: Remote) => (error: FetchError): CallFailed => {
  const message = `The remote agent ${id} cannot be reached: ${error.message}`
  if (error._tag === "FetchRejected") return refused(message)
  return make(error.reason === "unconnected" ? "unsent" : "lost", message)
}

interface Headed {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

const retryAfterIn = ({ headers }: Headed): number => {
  const seconds = headers["retry-after"] ?? ""
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) : 0
}

/** Not accepted, because the service is busy. */
const busy: ReadonlyArray<A2aError.Reason> = ["RESOURCE_EXHAUSTED", "UNAVAILABLE"]

/** A gateway does not know what the service behind it has done. */
const gateway: ReadonlyArray<number> = [502, 504]

/** A token is one as well without the word before it. */
const secretsOf = ({ headers }: Remote): ReadonlyArray<Redacted.Redacted> =>
  [...headers.values()].flatMap((value) => [value, Redacted.make(Redacted.value(value).replace(/^\w+ /, ""))])

/** The text of the remote service can contain what was sent to it. */
export const ofResponse = (remote: Remote, response: Headed, error: A2aError.A2aError): CallFailed => {
  const { id } = remote
  const { status } = response
  const text = redact(error.message, secretsOf(remote))
  const { reason } = error
  if (busy.includes(reason)) {
    return make("unsent", `The remote agent ${id} is busy (${status}): ${text}`, reason, retryAfterIn(response))
  }
  if (gateway.includes(status)) return make("lost", `The remote agent ${id} cannot be reached (${status})`, reason)
  if (status === 401 || status === 403 || reason === "PERMISSION_DENIED") {
    return make("refused", `The remote agent ${id} denies access (${status}): ${text}`, reason)
  }
  const what = reason === "INVALID_AGENT_RESPONSE" ? "sent a response that cannot be read" : "refused the request"
  return make("refused", `The remote agent ${id} ${what} (${status}): ${text}`, reason)
}
