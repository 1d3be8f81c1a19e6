// The messages between this process and its child processes.
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { channel } from "node:diagnostics_channel"
import { serialize } from "node:v8"

export interface ProcessMessages {
  /** The size of the largest message, in either direction. */
  largest: number
  /** How many messages were sent to a process, or came from it, before the one before was handled. */
  overtaking: number
}

type Send = (message: object, handled: (error: Error | null) => void) => boolean

const created = channel("child_process")

/** The value of an effect, and the messages of the processes that it starts. */
export const watchMessages = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<readonly [A, ProcessMessages], E> =>
  Effect.suspend(() => {
    const messages: ProcessMessages = { largest: 0, overtaking: 0 }
    const measure = (message: unknown) => {
      messages.largest = Math.max(messages.largest, serialize(message).byteLength)
    }
    const watch = (event: unknown) => {
      const { process } = event as { readonly process: ChildProcess }
      let [sending, isAnswering] = [false, false]
      let send: Send
      // Node adds the method to the process later
      Object.defineProperty(process, "send", {
        set: (method: Send) => {
          send = method
        },
        get: () => (message: object, handled: (error: Error | null) => void) => {
          measure(message)
          if (sending) messages.overtaking++
          ;[sending, isAnswering] = [true, false]
          return send.call(process, message, (error) => {
            sending = false
            handled(error)
          })
        }
      })
      process.on("message", (message) => {
        measure(message)
        if (isAnswering) messages.overtaking++
        isAnswering = true
      })
    }
    created.subscribe(watch)
    return Effect.ensuring(
      Effect.map(effect, (value) => [value, messages] as const),
      Effect.sync(() => created.unsubscribe(watch))
    )
  })
