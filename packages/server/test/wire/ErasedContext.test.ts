// What a run was shown of its user is not stored with it: a run that is continued is shown what is known then.
import { assert, describe, it } from "@effect/vitest"
import { UserId } from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { Database } from "@svc-runtime/engine/database/Database"
import { Agent, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { ask, at, get, list, send } from "../Wire.ts"
import { ann, open } from "./MemoryFixtures.ts"
import { cuttable } from "./TwoDatabases.ts"

Tier.oneIn(3)

const answer = [Script.text("Done.")]
const paying = [Script.toolCall("pay", { amount: 1 }, "call_1")]
const fields = { message: "Pay", session_id: "s", user_id: "ann", run_id: "r", stream: "false" }

const pay = Tool.make({
  name: "pay",
  parameters: Schema.Struct({ amount: Schema.Finite }),
  requiresConfirmation: true,
  execute: () => "paid"
})

const options = { memory: { update: "off" }, learning: true, tools: [pay] } as const

const shownTo = (script: Script.ScriptedModel, place: number) =>
  Effect.map(script.calls, (calls) => JSON.stringify(calls.at(place)?.prompt ?? "no call"))

/** The first turn of the model of each kind pauses its run. */
const subjects = {
  agents: Effect.fnUntraced(function*() {
    const script = yield* Script.make([paying, answer])
    return { script, served: { agents: [Agent.make({ id: "c", model: script.model, ...options })] } }
  }),
  teams: Effect.fnUntraced(function*() {
    const script = yield* Script.make([paying, answer])
    const leading = yield* Script.make([
      [Script.toolCall("delegate_task_to_member", { member_id: "m", task: "Pay" })],
      answer
    ])
    const member = Agent.make({ id: "m", model: script.model, ...options })
    return { script, served: { teams: [Team.make({ id: "c", model: leading.model, members: [member] })] } }
  }),
  workflows: Effect.fnUntraced(function*() {
    const script = yield* Script.make([paying, answer])
    const agent = Agent.make({ id: "a", model: script.model, ...options })
    return { script, served: { workflows: [Workflow.make({ id: "c", steps: [Step.make({ name: "one", agent })] })] } }
  })
}

const decided = (kind: string, paused: unknown) =>
  kind === "workflows"
    ? {
      step_requirements: JSON.stringify(
        list(paused, "step_requirements").map((each) => ({
          ...each as object,
          executor_requirements: list(each, "executor_requirements").map((inside) => ({
            ...inside as object,
            confirmation: true
          }))
        }))
      )
    }
    : {
      requirements: JSON.stringify(
        list(paused, "requirements").map((each) => ({ ...each as object, confirmation: true }))
      )
    }

const learn = (server: TestServer.TestServer, memory: string) =>
  send(server, "POST", "/learnings", {
    learning_type: "user_memory",
    user_id: "ann",
    namespace: "user:ann",
    content: { memories: [{ id: memory, content: memory }] }
  })

describe("what is known about a user in the context of a run", () => {
  for (const kind of ["agents", "teams", "workflows"] as const) {
    it.live(`a paused run of ${kind} that is continued after the erasure of its user is shown what is known then`, () =>
      Effect.gen(function*() {
        const { script, served } = yield* subjects[kind]()
        const { add, server, stores } = yield* open(served)
        yield* add(ann, "Ann likes tea")
        assert.strictEqual((yield* learn(server, "drinks coffee")).status, 201)
        const body = new URLSearchParams(fields)
        const paused = yield* ask(server, `/${kind}/c/runs`, { method: "POST", body })
        assert.strictEqual(at(paused.json, "status"), "PAUSED", paused.text)
        const first = yield* shownTo(script, 0)
        for (const known of ["Ann likes tea", "drinks coffee"]) assert.include(first, known)
        const snapshot = yield* stores().runs.snapshot(Session.Id.make("s"), Run.Id.make("r"), { owner: Owner.anyone })
        const stored = JSON.stringify([snapshot, (yield* get(server, "/sessions/s/runs")).json])
        for (const known of ["Ann likes tea", "drinks coffee"]) assert.notInclude(stored, known)
        assert.strictEqual((yield* send(server, "DELETE", "/users/ann/memory", {})).status, 200)
        yield* add(ann, "Ann likes milk")
        const more = new URLSearchParams({ session_id: "s", stream: "false", ...decided(kind, paused.json) })
        const ended = yield* ask(server, `/${kind}/c/runs/r/continue`, { method: "POST", body: more })
        assert.strictEqual(at(ended.json, "status"), "COMPLETED", ended.text)
        const second = yield* shownTo(script, 1)
        assert.include(second, "Ann likes milk")
        for (const erased of ["Ann likes tea", "drinks coffee"]) assert.notInclude(second, erased)
        assert.include(second, "paid")
      }))
  }

  it.live("a removal is in the audit and in the log, with its counts and without contents", () =>
    Effect.gen(function*() {
      const { add, server, stores } = yield* open({})
      yield* add(ann, "Ann likes tea")
      yield* learn(server, "drinks coffee")
      yield* send(server, "DELETE", "/learnings/users/ann", {})
      yield* send(server, "DELETE", "/users/ann/memory", {})
      const records = yield* stores().memorySettings.erasuresOf(ann)
      const counts = { memories: 1, vectors: 0, learnings: 0, summaries: 0, jobs: 0, traces: 0, feedback: 0 }
      assert.deepStrictEqual(records.map(({ action, counts }) => ({ action, counts })), [
        { action: "learnings_deleted", counts: { learnings: 1 } },
        { action: "memory_deleted", counts }
      ])
      const logged = server.logs.filter(({ message }) =>
        message === "Learnings of a user were deleted" || message === "The memory of a user was deleted"
      )
      assert.strictEqual(logged.length, 2)
      assert.notMatch(JSON.stringify([records, server.logs]), /tea|coffee/)
    }))

  it.live("a database that is away keeps no other one from a removal, or from switching memory off", () =>
    Effect.gen(function*() {
      const main = cuttable("main-db")
      let second: Database | undefined
      const server = yield* TestServer.make({
        databases: ["main-db", "second-db"],
        database: (database) => {
          if (database.id === "second-db") second = database
          return main.around(database)
        }
      })
      const memory = { user_id: "ann", memory: "Likes tea" }
      for (const db_id of ["main-db", "second-db"]) yield* send(server, "POST", `/memories?db_id=${db_id}`, memory)
      main.cut()
      assert.strictEqual((yield* send(server, "PUT", "/users/ann/memory-settings", { enabled: false })).status, 503)
      assert.isFalse(yield* second!.memorySettings.isEnabled(ann))
      assert.strictEqual((yield* send(server, "DELETE", "/users/ann/memory", {})).status, 503)
      assert.deepStrictEqual(at((yield* get(server, "/memories?db_id=second-db")).json, "data"), [])
      main.mend()
      const erased = yield* send(server, "DELETE", "/users/ann/memory", {})
      assert.strictEqual(at(erased.json, "memories"), 1)
    }))

  it.live("memory that was switched off is off in a database that is added to the service later", () =>
    Effect.gen(function*() {
      let second: Database | undefined
      const users = Array.from({ length: 1001 }, (_, index) => UserId.make(`user ${index}`))
      const first = yield* TestDatabase.make()
      yield* first.memorySettings.disable(users, 1)
      yield* TestServer.make({
        databases: ["main-db", "second-db"],
        database: (database) => {
          if (database.id !== "second-db") return first
          second = database
          return database
        }
      }).pipe(Effect.tap(({ fetch }) => fetch("/health")))
      for (const user_id of [users[0]!, users[1000]!]) assert.isFalse(yield* second!.memorySettings.isEnabled(user_id))
      assert.isTrue(yield* second!.memorySettings.isEnabled(ann))
    }))
})
