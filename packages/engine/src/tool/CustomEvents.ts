// Custom events of an author's tool or step. They end with the work: a forgotten promise must not emit into a resumed
// run.
import * as CustomEvent from "@svc-runtime/domain/CustomEvent"
import type * as Json from "@svc-runtime/domain/Json"
import { Effect } from "effect"
import { ByteLimits, bytesOf } from "../limits/ByteLimits.ts"

/** Throws for invalid fields. */
export type Emit = (fields: Json.Object) => void

/** `work` can emit events until it ends, in any way. */
export const scoped = <A, E, R>(
  publish: (fields: Json.Object & { readonly event: "CustomEvent" }) => void,
  work: (emit: Emit) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(ByteLimits, ({ customEvent }) => {
    let isOver = false
    const emit: Emit = (fields) => {
      const problem = CustomEvent.problemOf(fields)
      if (problem !== undefined) throw new Error(`emit: ${problem}`)
      const bytes = bytesOf(JSON.stringify(fields))
      if (bytes > customEvent) {
        throw new Error(`emit: the event has ${bytes} bytes, more than ${customEvent} (CUSTOM_EVENT_MAX_BYTES)`)
      }
      if (!isOver) publish({ ...fields, event: "CustomEvent" })
    }
    return Effect.ensuring(
      work(emit),
      Effect.sync(() => {
        isOver = true
      })
    )
  })
