// Runs that their nodes left unfinished, and how they end.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RunCommand } from "../../src/run/RunCommand.ts"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import { open, type Options, scripted } from "./Engine.ts"

export const anyone = { owner: Owner.anyone }
export const runId = (name: string) => Run.Id.make(name)

/** Runs that were cut off in the middle of their first answers, each in a session of its own. */
export const cutOff = Effect.fnUntraced(function*(names: ReadonlyArray<string>, options: Options = {}) {
  const before = yield* open({ drainTimeout: 0, ...options })
  const waits: Array<Deferred.Deferred<void>> = []
  const turns: Array<Script.Turn> = []
  for (const _ of names) {
    const waiting = yield* Deferred.make<void>()
    waits.push(waiting)
    turns.push([Script.wait(Deferred.succeed(waiting, undefined)), Script.hang])
  }
  const { agent, command } = yield* scripted([...turns, ...Array.from({ length: 20 }, () => [text("Hello")])])
  for (const [index, name] of names.entries()) {
    const ids = { run_id: runId(name), session_id: name as never }
    yield* before.engine.start(command({ ...ids, stream: false, background: true }) as RunCommand)
    yield* Deferred.await(waits[index]!)
  }
  return { agent, before, command }
})

export const find = ({ runs }: { readonly runs: RunStore["Service"] }, name: string) =>
  Effect.flatMap(runs.find(name as never, runId(name), anyone), Effect.fromOption)

export const isSettled = (service: { readonly runs: RunStore["Service"] }, name: string) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), find(service, name)), {
    until: ({ status }) => !Run.isActive(status),
    times: 200
  })
