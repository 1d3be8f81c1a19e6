// Runs whose approvals are resolved are resumed once, also if the node that resolved them stopped or the store failed.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { approved } from "@svc-runtime/test-support/suites/approvals/Approvals"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, column, get, list, post, second, serve } from "../Wire.ts"
import { begin, ending, everything, find, kinds, payer, waiting } from "./PayingRuns.ts"
import { storeWith } from "./StoredApprovalRows.ts"

Tier.oneIn(12)

const warnings = ({ logs }: TestServer.TestServer) =>
  logs.flatMap(({ level, message }) => level === "WARN" ? [String(message).split("\n")[0]] : [])

describe.each(Object.keys(kinds))("The resolved approval of %s", (kind) => {
  it.effect("The run resumes once although the node that resolved it stopped", () =>
    Effect.gen(function*() {
      const { id, paid, path, server, store } = yield* waiting(kind)
      // the node stops here
      yield* store.resolve(id, Owner.anyone, approved, second)
      assert.strictEqual(at((yield* find(server, path)).json, "status"), "PAUSED")
      assert.strictEqual(at((yield* ending(server, path)).json, "status"), "COMPLETED")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(paid, ["paid"])
      assert.deepStrictEqual(yield* store.listPendingResumes(everything), [])
    }))

  it.effect("The run resumes when the store of runs is available again", () =>
    Effect.gen(function*() {
      let isAway = false
      const { id, paid, path, server, store } = yield* waiting(kind, {
        database: (database) => ({
          ...database,
          runs: {
            ...database.runs,
            resume: (continuation) =>
              Effect.suspend(() =>
                isAway
                  ? Effect.fail(new StorageUnavailable({ cause: "away" }))
                  : database.runs.resume(continuation)
              )
          }
        })
      })
      isAway = true
      const { status } = yield* post(server, `/approvals/${encodeURIComponent(id)}/resolve`, { status: "approved" })
      assert.strictEqual(status, 200, "it is resolved")
      assert.strictEqual(at((yield* find(server, path)).json, "status"), "PAUSED")
      assert.lengthOf(yield* store.listPendingResumes(everything), 1)
      isAway = false
      assert.strictEqual(at((yield* ending(server, path)).json, "status"), "COMPLETED")
      assert.deepStrictEqual(paid, ["paid"])
    }))

  it.effect("The run resumes when the store of approvals is available again", () =>
    Effect.gen(function*() {
      let isAway = false
      const kept = yield* storeWith()
      const listByRun: ApprovalStore["Service"]["listByRun"] = (...args) =>
        Effect.suspend(() =>
          isAway ? Effect.fail(new StorageUnavailable({ cause: "away" })) : kept.store.listByRun(...args)
        )
      const approvals = Layer.succeed(ApprovalStore, { ...kept.store, listByRun })
      const { id, paid, path, server } = yield* waiting(kind, { approvals })
      isAway = true
      yield* post(server, `/approvals/${encodeURIComponent(id)}/resolve`, { status: "approved" })
      assert.lengthOf(yield* kept.store.listPendingResumes(everything), 1)
      isAway = false
      assert.strictEqual(at((yield* ending(server, path)).json, "status"), "COMPLETED")
      assert.deepStrictEqual(paid, ["paid"])
    }))

  it.effect("The run is resumed by the request that resolves it", () =>
    Effect.gen(function*() {
      const { id, server, store } = yield* waiting(kind)
      yield* post(server, `/approvals/${encodeURIComponent(id)}/resolve`, { status: "approved" })
      assert.deepStrictEqual(yield* store.listPendingResumes(everything), [])
    }))
})

describe.each(["a team", "a workflow"])("An approval that is resolved while %s is executed", (kind) => {
  it.effect("The resume is pending until the run has paused for the approval and was resumed", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { agent, paid } = yield* payer
      const { model } = yield* Script.make([[Script.wait(gate), text("I looked.")]])
      const slow = Agent.make({ id: "slow", model })
      const leader = yield* Script.make([
        ["payer", "slow"].map((member_id) => toolCall("delegate_task_to_member", { member_id, task: "go" }, member_id)),
        [text("All paid.")]
      ])
      const flow = Workflow.make({ id: "flow", steps: [Parallel.make({ name: "both", steps: [agent, slow] })] })
      const desk = Team.make({ id: "desk", model: leader.model, members: [agent, slow] })
      const { layer, store } = yield* storeWith()
      const server = yield* serve({ teams: [desk], workflows: [flow], approvals: layer })
      const [path] = kinds[kind]!
      const running = yield* Effect.forkChild(begin(server, path))
      const pending = Effect.map(get(server, "/approvals"), ({ json }) => column(list(json, "data"), "id"))
      const [id] = yield* Effect.repeat(Effect.andThen(Effect.yieldNow, pending), {
        until: (ids) => ids.length === 1,
        times: 1000
      })
      yield* post(server, `/approvals/${encodeURIComponent(String(id))}/resolve`, { status: "approved" })
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(yield* store.listPendingResumes(everything), 1, "the run has not paused yet")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(running)
      assert.strictEqual(at((yield* ending(server, path)).json, "status"), "COMPLETED")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([yield* store.listPendingResumes(everything), paid], [[], ["paid"]])
    }))
})

describe("A run whose factory refuses to build its component without a caller", () => {
  it.effect("The run stays paused, and the factory is called once", () =>
    Effect.gen(function*() {
      const { agent } = yield* payer
      let requests = 0
      const factory = AgentFactory.make({
        id: "payer",
        build: () => {
          if (++requests > 1) throw new FactoryPermissionError({ message: "Not without a caller" })
          return agent
        }
      })
      const { id, path, server, store } = yield* waiting("an agent", { agents: [factory] })
      yield* store.resolve(id, Owner.anyone, approved, second)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(requests, 2)
      assert.strictEqual(at((yield* find(server, path)).json, "status"), "PAUSED")
      assert.deepStrictEqual(yield* store.listPendingResumes(everything), [])
      assert.deepStrictEqual(warnings(server), [
        "A run stays paused: its factory refuses to build its component without a caller. " +
        "Continue the run with a request, or let the factory accept it"
      ])
    }))
})

describe("A run whose factory fails when its approval is resolved", () => {
  it.effect("The resume is retried with growing pauses until the factory succeeds", () =>
    Effect.gen(function*() {
      const { agent, paid } = yield* payer
      const calls = { made: 0 }
      const factory = AgentFactory.make({
        id: "payer",
        build: () => {
          calls.made++
          // also when it is asked for what the approval is about
          if (calls.made > 1 && calls.made < 6) throw new Error("The tenant database is away")
          return agent
        }
      })
      const { id, path, server, store } = yield* waiting("an agent", { agents: [factory] })
      yield* post(server, `/approvals/${encodeURIComponent(id)}/resolve`, { status: "approved" })
      assert.lengthOf(yield* store.listPendingResumes(everything), 1, "its resume is pending")
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(at((yield* ending(server, path)).json, "status"), "COMPLETED")
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual([yield* store.listPendingResumes(everything), paid, calls.made], [[], ["paid"], 6])
      assert.deepStrictEqual(
        warnings(server),
        [5, 10, 20].map((seconds) =>
          `A paused run could not be resumed. It is tried again in ${seconds}s. If it keeps failing, mend what the error names, or cancel the run`
        )
      )
    }))

  it.effect("A factory that hangs delays the resume of no other run", () =>
    Effect.gen(function*() {
      const first = yield* payer
      const { agent, paid } = yield* payer
      let calls = 0
      const hanging = AgentFactory.make({
        id: "hanging",
        build: () => ++calls === 1 ? Effect.succeed(first.agent) : Effect.never
      })
      const { layer, store } = yield* storeWith()
      const server = yield* serve({ agents: [hanging, agent], approvals: layer })
      const start = (id: string) =>
        ask(server, `/agents/${id}/runs`, {
          method: "POST",
          body: new URLSearchParams({ message: "pay", run_id: id, session_id: id, stream: "false" })
        })
      yield* start("hanging")
      yield* start("payer")
      for (const id of column(list((yield* get(server, "/approvals")).json, "data"), "id")) {
        yield* store.resolve(Approval.Id.make(String(id)), Owner.anyone, approved, second)
      }
      yield* TestClock.adjust("10 seconds")
      const found = Effect.andThen(Effect.yieldNow, get(server, "/agents/payer/runs/payer?session_id=payer"))
      yield* Effect.repeat(found, { until: ({ json }) => at(json, "status") === "COMPLETED", times: 1000 })
      assert.deepStrictEqual([paid, calls], [["paid"], 2])
    }))
})
