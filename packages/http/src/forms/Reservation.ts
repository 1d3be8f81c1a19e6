// The room for the bytes of one request in the budget of all.
import { Errors } from "@svc-runtime/api"
import { Effect } from "effect"
import type { ByteBudget } from "../requests/ByteBudget.ts"
import { small } from "./BodyBytes.ts"

export interface Options {
  readonly budget: ByteBudget
  /** Whose share of the budget the body takes. */
  readonly caller: string
}

const noRoom = () =>
  Effect.fail(
    Errors.tooManyRequests("Too many bytes are uploaded at once (MAX_UPLOAD_BYTES_IN_FLIGHT). Try again shortly.")
  )

export const make = ({ budget, caller }: Options) => {
  let [taken, size] = [0, 0]
  return {
    /** Returns when there is room for this many bytes. */
    reserve: (bytes: number) =>
      bytes <= small ?
        Effect.void :
        Effect.uninterruptibleMask((restore) =>
          Effect.tap(restore(budget.take(caller, bytes, noRoom)), () =>
            Effect.sync(() => {
              taken = bytes
              size = bytes
            }))
        ),
    release: Effect.sync(() => {
      if (taken > 0) budget.release(caller, taken)
      taken = 0
    }),
    size: () => size,
    /** The bytes count again, while a response repeats them. */
    occupy: Effect.sync(() => budget.occupy(caller, size)),
    vacate: Effect.sync(() => budget.release(caller, size))
  }
}
