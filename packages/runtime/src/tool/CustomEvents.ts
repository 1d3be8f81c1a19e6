// What an author's tool or step tells those who watch a run, as long as it is at work: a promise that was forgotten must not
// speak in a run that has gone on.
import { CustomEvent, type Json } from "@svc/domain"
import { Effect } from "effect"

/** Throws for what no event can say. */
export type Emit = (fields: Json.Object) => void

/** What `work` is given speaks through `tell`, and is silent when that has ended, however it has. */
export const scoped = <A, E, R>(
  tell: (fields: Json.Object & { readonly event: "CustomEvent" }) => void,
  work: (emit: Emit) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let isOver = false
    const emit: Emit = (fields) => {
      const problem = CustomEvent.problemOf(fields)
      if (problem !== undefined) throw new Error(`emit: ${problem}`)
      if (!isOver) tell({ ...fields, event: "CustomEvent" })
    }
    return Effect.ensuring(
      work(emit),
      Effect.sync(() => {
        isOver = true
      })
    )
  })
