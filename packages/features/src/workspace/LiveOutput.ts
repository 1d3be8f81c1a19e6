// The output of a command while it is made, for watchers of the run: a few events with a bounded size. The result of
// the call has the output again.
//
// @effect-diagnostics globalTimers:off -- a sandbox calls it outside of fibers
import type * as Json from "@svc-runtime/domain/Json"

/** Characters of one event. */
const maxEvent = 4_000

/** Characters of all events of a call. */
const maxAll = 40_000

/** Milliseconds between two events. */
const every = 250

export interface LiveOutput {
  readonly add: (text: string) => void
  readonly end: () => void
}

export const make = (emit: (fields: Json.Object) => void): LiveOutput => {
  let waiting = ""
  let left = maxAll
  let timer: NodeJS.Timeout | undefined

  const send = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (waiting === "") return
    const text = waiting.slice(0, Math.min(maxEvent, left)).toWellFormed()
    left -= text.length
    waiting = left === 0 ? "" : waiting.slice(text.length)
    emit({ type: "command_output", output: text, ...(left === 0 ? { is_last: true } : {}) })
    wait()
  }
  const wait = (): void => {
    if (waiting !== "" && timer === undefined) timer = setTimeout(send, every)
  }

  return {
    add: (text) => {
      if (left === 0) return
      // more than can be sent is never kept
      waiting = (waiting + text).slice(0, left)
      wait()
    },
    end: () => {
      // the rest is in the result
      send()
      clearTimeout(timer)
    }
  }
}
