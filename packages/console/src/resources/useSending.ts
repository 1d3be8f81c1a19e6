// The request of a form or a button: whether it is on its way, and why it was refused.
import { useState } from "preact/hooks"
import { untilAccepted } from "../service/Service.ts"

export interface Sending {
  readonly isSending: boolean
  readonly problem: unknown
  /** `done` is called with the response. */
  readonly send: <A>(request: () => Promise<A>, done?: (response: A) => void) => void
}

export const useSending = (): Sending => {
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<unknown>(undefined)
  const send: Sending["send"] = (request, done) => {
    setSending(true)
    setProblem(undefined)
    void untilAccepted(request).then(done).catch(setProblem).finally(() => setSending(false))
  }
  return { isSending, problem, send }
}
