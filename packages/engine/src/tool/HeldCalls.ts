// Calls that this process holds open while their runs wait for a person: its connections are its own. A call is closed
// when no one will make it again: after a rejection, and at the end of its run.
import { Effect } from "effect"

export interface HeldCall {
  readonly runId: string
  readonly effectId: string
  readonly close: Effect.Effect<void>
}

const held = new Map<string, HeldCall>()

const closeAll = (isMeant: (call: HeldCall) => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.forEach([...held.values()].filter(isMeant), ({ close, effectId }) => {
      held.delete(effectId)
      return close
    }, { discard: true })
  )

export const hold = (call: HeldCall): void => void held.set(call.effectId, call)

export const release = (effectId: string): void => void held.delete(effectId)

export const close = (effectId: string): Effect.Effect<void> => closeAll((call) => call.effectId === effectId)

export const closeRuns = (runs: ReadonlyArray<{ readonly run_id?: unknown }>): Effect.Effect<void> =>
  closeAll(({ runId }) => runs.some(({ run_id }) => run_id === runId))
