// Components of which some store their runs in a second database.
import { assert } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import type * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { always, column, get, list } from "../Wire.ts"
import { used } from "./Fixtures.ts"
import { tenant } from "./TwoDatabases.ts"

export const sessionIds = Effect.fnUntraced(function*(server: TestServer.TestServer, db: string) {
  const answer = yield* get(server, `/sessions?db_id=${db}`)
  assert.strictEqual(answer.status, 200, answer.text)
  return column(list(answer.json, "data"), "session_id")
})

/** A factory of the tenant, how often it was called, and an agent of the service. */
export const components = Effect.fnUntraced(function*(db?: DatabaseHandle.DatabaseHandle) {
  const { model } = yield* always(Script.text("Hello."), used)
  const calls = { count: 0 }
  const factory = AgentFactory.make({
    id: "made",
    db: tenant,
    build: ({ id }) => {
      calls.count++
      return Agent.make({ id, model, db })
    }
  })
  return { factory, plain: Agent.make({ id: "plain", model }), calls, model }
})

export const started = { message: "Hi", session_id: "s", run_id: "r" }
