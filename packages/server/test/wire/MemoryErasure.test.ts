// A user switches memory off, or has it deleted, while runs and jobs are in progress.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { Agent, Step, Team, Workflow } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { at, get, runWhole, send } from "../Wire.ts"
import { answer, changes, fields, withMemory } from "./MemoryAgent.ts"
import { ann, bob, open } from "./MemoryFixtures.ts"

Tier.oneIn(3)

const newestFirst = { by: undefined, order: "desc" } as const

describe("the memory of a user", () => {
  it.live("a user switches memory off and on for all databases, over HTTP", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({ databases: ["one", "two"] })
      const path = "/users/ann/memory-settings"
      assert.deepStrictEqual((yield* get(server, path)).json, { enabled: true })
      assert.deepStrictEqual((yield* send(server, "PUT", path, { enabled: false })).json, { enabled: false })
      assert.deepStrictEqual((yield* get(server, path)).json, { enabled: false })
      assert.deepStrictEqual((yield* get(server, "/users/bob/memory-settings")).json, { enabled: true })
      assert.strictEqual((yield* send(server, "PUT", path, { enabled: "no" })).status, 422)
    }))

  it.live("an id that no user can have is refused before anything is stored or removed", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({})
      for (const id of ["ann%00", "a".repeat(513)]) {
        const settings = `/users/${id}/memory-settings`
        assert.strictEqual((yield* get(server, settings)).status, 422, id)
        assert.strictEqual((yield* send(server, "PUT", settings, { enabled: false })).status, 422, id)
        assert.strictEqual((yield* send(server, "DELETE", `/users/${id}/memory`, {})).status, 422, id)
        assert.strictEqual((yield* send(server, "DELETE", `/learnings/users/${id}`, {})).status, 422, id)
      }
    }))

  it.live("deleting the memory of a user removes it with its jobs, and an extraction in progress stores nothing", () =>
    Effect.gen(function*() {
      const [requested, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const service = yield* withMemory([answer], [
        [
          Script.wait(Effect.andThen(Deferred.succeed(requested, undefined), Deferred.await(released))),
          ...changes({ action: "create", memory: "Too late" })
        ]
      ])
      yield* service.add(ann, "Ann likes tea")
      yield* service.add(bob, "Bob likes tea")
      yield* runWhole(service.server, "agent", fields)
      yield* Deferred.await(requested)
      const { json } = yield* send(service.server, "DELETE", "/users/ann/memory", {})
      assert.deepStrictEqual(json, {
        memories: 1,
        vectors: 0,
        learnings: 0,
        summaries: 0,
        jobs: 1,
        traces: 0,
        feedback: 0
      })
      yield* Deferred.succeed(released, undefined)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.deepStrictEqual(yield* service.memoriesOf(ann), [])
      assert.deepStrictEqual(yield* service.memoriesOf(bob), ["Bob likes tea"])
    }))

  it.live("a run that ends after the memory of its user was deleted stores no memories", () =>
    Effect.gen(function*() {
      const [requested, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const waiting = Script.wait(Effect.andThen(Deferred.succeed(requested, undefined), Deferred.await(released)))
      const service = yield* withMemory([[waiting, ...answer], answer], [
        changes({ action: "create", memory: "Likes tea" }),
        changes({ action: "create", memory: "Likes milk" })
      ])
      const running = yield* Effect.forkChild(runWhole(service.server, "agent", fields))
      yield* Deferred.await(requested)
      yield* send(service.server, "DELETE", "/users/ann/memory", {})
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(running)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.deepStrictEqual(yield* service.memoriesOf(ann), [])
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.deepStrictEqual(yield* service.memoriesOf(ann), ["Likes milk"])
    }))

  it.live("a member of a team and a step of a workflow in progress store nothing after the memory of their user was deleted", () =>
    Effect.gen(function*() {
      const [requested, released] = [yield* Queue.unbounded<void>(), yield* Queue.unbounded<void>()]
      const saving = [
        Script.wait(Effect.andThen(Queue.offer(requested, undefined), Queue.take(released))),
        Script.toolCall("remember", { memory: "Ann likes tea" }, "1"),
        Script.toolCall("save_memory", { memory: "Likes tea." }, "2"),
        Script.toolCall("save_knowledge", { title: "Tea", learning: "It is liked." }, "3")
      ]
      const talking = yield* Script.make([saving, answer, saving, answer, saving.slice(1), answer])
      const leading = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "member", task: "Remember" })],
        answer
      ])
      const member = Agent.make({
        id: "member",
        model: talking.model,
        memory: { update: "off", tools: true },
        learning: true
      })
      const team = Team.make({ id: "team", model: leading.model, members: [member] })
      const workflow = Workflow.make({ id: "workflow", steps: [Step.make({ name: "one", agent: member })] })
      const { memoriesOf, server, stores } = yield* open({ teams: [team], workflows: [workflow] })
      for (const path of ["/teams/team/runs", "/workflows/workflow/runs"]) {
        const body = new URLSearchParams({ ...fields, session_id: path, stream: "false" })
        const running = yield* Effect.forkChild(server.fetch(path, { method: "POST", body }))
        yield* Queue.take(requested)
        assert.strictEqual((yield* send(server, "DELETE", "/users/ann/memory", {})).status, 200)
        yield* Queue.offer(released, undefined)
        assert.strictEqual((yield* Fiber.join(running)).status, 200)
        assert.deepStrictEqual(yield* memoriesOf(ann), [], path)
        const everything = { owner: Owner.anyone, includesShared: true, fields: {} }
        const { learnings } = yield* stores().learnings.list(everything, { page: 1, limit: 9 }, newestFirst)
        assert.deepStrictEqual(learnings, [], path)
        const shown = JSON.stringify((yield* talking.calls).at(-1)?.prompt)
        assert.include(shown, "Nothing was stored: what was known about the user was deleted")
        assert.strictEqual(shown.split("Not saved: what was known about the user was deleted").length, 3, path)
      }
      const body = new URLSearchParams({ ...fields, session_id: "later", stream: "false" })
      yield* server.fetch("/workflows/workflow/runs", { method: "POST", body })
      assert.deepStrictEqual(yield* memoriesOf(ann), ["Ann likes tea"])
    }))

  it.live("deleting the memory of a user removes the summaries of their sessions, and of no other", () =>
    Effect.gen(function*() {
      const { server } = yield* withMemory([], [])
      const summarize = Effect.fnUntraced(function*(session_id: string, user_id: string) {
        const created = yield* send(server, "POST", "/sessions", { session_id, user_id, agent_id: "agent" })
        assert.strictEqual(created.status, 201, JSON.stringify(created.json))
        yield* send(server, "PATCH", `/sessions/${session_id}`, { summary: { summary: "Tea." } })
      })
      const summaryOf = (session_id: string) =>
        Effect.map(get(server, `/sessions/${session_id}`), ({ json }) => at(json, "session_summary", "summary"))
      yield* summarize("of-ann", "ann")
      yield* summarize("of-bob", "bob")
      const { json } = yield* send(server, "DELETE", "/users/ann/memory", {})
      assert.deepStrictEqual(json, {
        memories: 0,
        vectors: 0,
        learnings: 0,
        summaries: 1,
        jobs: 0,
        traces: 0,
        feedback: 0
      })
      assert.isUndefined(yield* summaryOf("of-ann"))
      assert.strictEqual(yield* summaryOf("of-bob"), "Tea.")
    }))
})
