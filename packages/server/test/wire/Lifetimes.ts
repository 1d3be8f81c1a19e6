// A service with a factory that counts what it opens and closes.
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect } from "effect"
import { serve } from "../Wire.ts"

export interface Opened {
  readonly closed: Deferred.Deferred<void>
  isOpen: boolean
}

interface Given {
  readonly turns?: ReadonlyArray<Script.Step>
  readonly agent?: Partial<Agent.Options>
  /** Goes wrong after something was opened. */
  readonly after?: Effect.Effect<unknown, unknown>
  readonly server?: TestServer.Options
}

/** A service whose factory opens something for each agent, the way Effects do it. */
export const started = Effect.fnUntraced(function*({ after = Effect.void, agent, server, turns }: Given = {}) {
  const all: Array<Opened> = []
  const opening = yield* Deferred.make<void>()
  const { model } = yield* Script.make(Array.from({ length: 20 }, () => turns ?? [Script.text("Hello.")]))
  const open = Effect.acquireRelease(
    Effect.map(Deferred.make<void>(), (closed) => {
      const opened: Opened = { closed, isOpen: true }
      all.push(opened)
      return opened
    }),
    (opened) => {
      opened.isOpen = false
      return Deferred.succeed(opened.closed, undefined)
    }
  )
  const factory = AgentFactory.make({
    id: "made",
    build: () =>
      Effect.gen(function*() {
        yield* open
        yield* Deferred.succeed(opening, undefined)
        yield* after
        return Agent.make({ id: "made", model, ...agent })
      })
  })
  return { all, opening, server: yield* serve({ agents: [factory, Agent.make({ id: "other", model })], ...server }) }
})

export const names = { message: "x", session_id: "s", run_id: "r" }
