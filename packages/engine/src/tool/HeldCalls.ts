// Calls that this process holds open while their runs wait for a person. A call is closed when no one will make it
// again: after a rejection, and at the end of its run.
import { Context, Effect } from "effect"

export interface HeldCall {
  readonly runId: string
  readonly effectId: string
  readonly close: Effect.Effect<void>
}

const make = () => {
  const held = new Map<string, HeldCall>()
  const closeAll = (calls: ReadonlyArray<HeldCall>) =>
    Effect.forEach(calls, ({ close, effectId }) => {
      held.delete(effectId)
      return close
    }, { discard: true })
  return {
    hold: (call: HeldCall): void => void held.set(call.effectId, call),
    release: (effectId: string): void => void held.delete(effectId),
    close: (effectId: string): Effect.Effect<void> =>
      Effect.suspend(() => closeAll([...held.values()].filter((call) => call.effectId === effectId))),
    closeRuns: (runs: ReadonlyArray<{ readonly run_id?: unknown }>): Effect.Effect<void> =>
      Effect.suspend(() =>
        held.size === 0
          ? Effect.void
          : closeAll([...held.values()].filter(({ runId }) => runs.some(({ run_id }) => run_id === runId)))
      )
  }
}

export type HeldCalls = ReturnType<typeof make>

const ofProcess = make()

export const HeldCalls = Context.Reference<HeldCalls>("@svc-runtime/engine/tool/HeldCalls", {
  defaultValue: () => ofProcess
})
