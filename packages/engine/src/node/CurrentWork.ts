// What code knows of the run or the job that executes it.
import { Context, Effect, Option } from "effect"
import { type Payer, type Purse, Spending } from "../limits/Spending.ts"

export interface Work {
  /** Whether the engine or the worker around it is being closed: it does not wait for a database then. */
  readonly isClosing: () => boolean
  /** Whether a run is too far ahead of the store of its events. */
  readonly isFull: () => boolean
  /** Waits while it is. */
  readonly hasRoom: Effect.Effect<void>
  /** Pays the requests to models. Undefined: nothing limits what they cost. */
  readonly purse: Purse | undefined
}

const none: Work = { isClosing: () => false, isFull: () => false, hasRoom: Effect.void, purse: undefined }

export const CurrentWork = Context.Reference<Work>("@svc-runtime/engine/node/CurrentWork", {
  defaultValue: () => none
})

export const within = (work: Partial<Work>) => Effect.provideService(CurrentWork, { ...none, ...work })

/** Lets another payer than that of the run or the job around it pay, or one pay where neither is around it. */
export const payers = Effect.map(
  Effect.serviceOption(Spending),
  (spending) => (payer: Payer) => <A, E, R>(asking: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Option.isNone(spending) ?
      asking :
      Effect.flatMap(
        CurrentWork,
        (work) => Effect.provideService(asking, CurrentWork, { ...work, purse: spending.value.purseOf(payer) })
      )
)
