// Runs that are cut off by a stop of their service, and services that start again.
import type { Options as AgentOptions } from "@svc-runtime/agents/agent/define/Agent"
import type * as Agent from "@svc-runtime/agents/agent/define/Agent"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Stream } from "effect"
import * as Tool from "../../src/tool/Tool.ts"
import { open, scripted, session } from "./Engine.ts"

/** A tool that counts its calls, and hangs in the first one. */
export const cutOff = Effect.fnUntraced(function*(effects: Tool.Effects | undefined) {
  const begun = yield* Deferred.make<void>()
  const ids: Array<string> = []
  const tool = Tool.make({
    name: "act",
    effects,
    execute: (_, { effectId }) => {
      ids.push(effectId)
      return ids.length === 1
        ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        : Effect.succeed(`done ${ids.length}`)
    }
  })
  return { begun: Deferred.await(begun), ids, tool }
})

/** An engine in the place of the one before, over what that has left. */
export const restarted = Effect.fnUntraced(
  function*(before: Effect.Success<ReturnType<typeof open>>, agent: Agent.Agent) {
    yield* before.close
    const after = yield* open({ memory: before.memory, agents: [agent] })
    const count = yield* after.engine.recover
    return { ...after, count }
  }
)

export const watched = (engine: Effect.Success<ReturnType<typeof open>>["engine"]) =>
  engine.watch({ run_id: "run" as never, session_id: session, filter: { owner: Owner.anyone }, after: -1 }).pipe(
    Effect.flatMap(Effect.fromOption),
    Effect.flatMap(({ events }) => Stream.runCollect(events))
  )

export const start = Effect.fnUntraced(function*(options: Partial<AgentOptions>, turns: ReadonlyArray<Script.Turn>) {
  const before = yield* open({ drainTimeout: 0 })
  const { agent, command, script } = yield* scripted(turns, options)
  yield* before.engine.start(command())
  return { agent, before, script }
})
