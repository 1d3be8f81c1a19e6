// Agents with the mode `always`: a job reads each run after its end, and learns from it.
import { assert, describe, it } from "@effect/vitest"
import type { End } from "@svc-runtime/engine/jobs/Job"
import { Agent, Step, Team, Workflow } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { at, column, type Fields, get, list, runWhole, send } from "../Wire.ts"
import { ann, open, usage, usageOf } from "./MemoryFixtures.ts"

Tier.oneIn(10)

const answer = [Script.text("Noted.")]
const fields = { message: "My name is Ann.", session_id: "s", user_id: "ann" }

type Option = Exclude<Agent.Options["learning"], boolean | undefined>

const learned = (lists: object) => [Script.text(JSON.stringify(lists))]
const tea = { user_memory: [{ memory: "Likes tea." }] }

/** An agent whose runs are read by another model. */
const learning = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  readings: ReadonlyArray<Script.Turn>,
  option: Option = {},
  changeEnd?: (end: End) => End
) {
  const [talking, reading] = [yield* Script.make(turns), yield* Script.make(readings)]
  const agent = Agent.make({
    id: "agent",
    model: talking.model,
    learning: { mode: "always", model: reading.model, ...option }
  })
  const workflow = Workflow.make({ id: "workflow", steps: [Step.make({ name: "one", agent }), agent] })
  const team = Team.make({ id: "team", model: talking.model, members: [agent], learning: { mode: "always" } })
  const service = yield* open({ agents: [agent], teams: [team], workflows: [workflow] }, changeEnd)
  const stored = Effect.map(
    get(service.server, "/learnings?sort_by=learning_id&sort_order=asc"),
    ({ json }) => list(json, "data")
  )
  const send = (path: string, given: Fields = fields) =>
    service.server.fetch(path, { method: "POST", body: new URLSearchParams({ ...given, stream: "false" }) })
  return {
    ...service,
    talking,
    reading,
    stored,
    send,
    run: (given: Fields) => runWhole(service.server, "agent", given)
  }
})

const systemOf = ({ prompt }: Script.Call) =>
  prompt.content.flatMap(({ content, role }) => role === "system" ? [content as string] : []).join("\n")

describe("an agent that learns from each run", () => {
  it.live("a run is read after its end, and later runs of the user, and of no other, show what was learned", () =>
    Effect.gen(function*() {
      const everything = {
        user_profile: [{ name: "Ann", facts: [{ name: "city", value: "Basel" }] }],
        user_memory: [{ memory: "Likes tea." }, { memory: "Likes milk." }],
        session_context: [{ summary: "Tea." }],
        entity_memory: [{ entity_type: "shop", entity_id: "corner", facts: ["It sells tea."] }],
        decision_log: [{ decision: "Buy tea", reasoning: "It is liked" }],
        learned_knowledge: [{ title: "Tea", learning: "It is hot." }]
      }
      const service = yield* learning([answer, answer, answer], [learned(everything), learned({}), learned({})])
      const { json } = yield* service.run(fields)
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const rows = yield* service.stored
      assert.sameMembers([...column(rows, "learning_type")] as Array<string>, Object.keys(everything))
      assert.deepStrictEqual([...new Set(column(rows, "user_id"))], ["ann"])
      assert.include(column(rows, "learning_id"), "entity_user:ann_shop_corner")
      const memories = rows.find((row) => at(row, "learning_type") === "user_memory")
      assert.deepStrictEqual(column(list(memories, "content", "memories"), "content"), ["Likes tea.", "Likes milk."])
      yield* service.run({ ...fields, session_id: "other" })
      yield* service.jobEnd
      yield* service.run({ ...fields, user_id: "bob", session_id: "bob" })
      const [, second, third] = yield* service.talking.calls
      assert.include(systemOf(second!), "Likes milk.")
      assert.notInclude(systemOf(third!), "Likes milk.")
      const [read, again] = yield* service.reading.calls
      assert.include(JSON.stringify(read!.prompt), "My name is Ann.")
      assert.include(systemOf(again!), "Likes milk.")
    }))

  it.live("the model requests of learning are counted in the metrics of the session", () =>
    Effect.gen(function*() {
      const service = yield* learning([answer], [[...learned(tea), usage]])
      yield* service.run(fields)
      yield* service.jobEnd
      assert.deepInclude(yield* usageOf(service.server, "learning_model"), { input_tokens: 7, output_tokens: 3 })
    }))

  it.live("the model has no tools with the mode always, unless the mode agentic is beside it", () =>
    Effect.gen(function*() {
      const toolsOf = (learning: Option) => [...Agent.make({ id: "a", learning }).tools.keys()]
      assert.deepStrictEqual(toolsOf({ mode: "always" }), [])
      assert.deepStrictEqual(toolsOf({ mode: ["always", "propose"] }), [])
      assert.include(toolsOf({ mode: ["always", "agentic"] }), "search_learnings")
      assert.include(toolsOf({ mode: "propose" }), "save_knowledge")
      assert.throws(() => toolsOf({ mode: [] }), "Agent 'a': learning needs a mode")
      yield* Effect.void
    }))

  it.live("what is learned from a run in a proposing mode is used after it was approved", () =>
    Effect.gen(function*() {
      const knowledge = { learned_knowledge: [{ title: "Tea", learning: "It is hot." }] }
      const service = yield* learning([answer, answer], [learned(knowledge), learned({})], {
        mode: ["always", "propose"],
        namespace: "desk"
      })
      yield* service.run(fields)
      yield* service.jobEnd
      const [row] = yield* service.stored
      assert.deepStrictEqual([at(row, "metadata"), at(row, "namespace"), at(row, "user_id")], [
        { status: "proposed" },
        "desk",
        null
      ])
      yield* service.run(fields)
      assert.notInclude(systemOf((yield* service.talking.calls)[1]!), "It is hot.")
    }))

  it.live("an answer that names other users, sessions and ids changes learnings of the run only", () =>
    Effect.gen(function*() {
      const service = yield* learning([answer], [
        learned({
          user_profile: [{ name: "Eve", user_id: "bob", facts: [{ name: "user_id", value: "bob" }] }],
          user_memory: [{ memory: "Late", id: "00000000" }, { memory: "Kept" }],
          session_context: [{ summary: "Late", session_id: "of-bob" }],
          entity_memory: [{ entity_type: "x", entity_id: "../user:bob", namespace: "user:bob", facts: ["a"] }]
        })
      ])
      const profile = { learning_type: "user_profile", user_id: "bob", content: { name: "Bob" } }
      yield* send(service.server, "POST", "/learnings", profile)
      yield* service.run(fields)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const rows = yield* service.stored
      assert.deepStrictEqual(rows.map((row) => [at(row, "learning_id"), at(row, "user_id")]), [
        ["entity_user:ann_x_../user:bob", "ann"],
        ["memories_ann", "ann"],
        ["session_context_s", "ann"],
        ["user_profile_ann", "ann"],
        ["user_profile_bob", "bob"]
      ])
      assert.deepStrictEqual(at(rows[4], "content"), { name: "Bob" })
      assert.deepStrictEqual(column(list(rows[1], "content", "memories"), "content"), ["Kept"])
    }))

  it.live("an attempt whose end was lost is repeated, and what it learned is stored once", () =>
    Effect.gen(function*() {
      let isFirst = true
      const service = yield* learning([answer], [learned(tea), learned(tea)], {}, (end) => {
        const lost: End = isFirst ? { _tag: "Retry", error: "lost", seconds: 0 } : end
        isFirst = false
        return lost
      })
      yield* service.run(fields)
      assert.strictEqual(yield* service.jobEnd, "Retry")
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual((yield* service.reading.calls).length, 2)
      const [row] = yield* service.stored
      assert.strictEqual(list(row, "content", "memories").length, 1)
    }))

  it.live.each([
    ["nonsense", "I could not find anything."],
    ["another object", JSON.stringify({ user_memory: "none" })],
    ["too many changes", JSON.stringify({ user_memory: Array.from({ length: 11 }, () => ({ memory: "a" })) })],
    ["a text that is too long", JSON.stringify({ user_memory: [{ memory: "a".repeat(2001) }] })]
  ])("an answer with %s changes nothing, and the job is repeated", ([, text = ""]) =>
    Effect.gen(function*() {
      const service = yield* learning([answer], [[Script.text(text)]])
      yield* service.run(fields)
      assert.strictEqual(yield* service.jobEnd, "Retry")
      assert.deepStrictEqual(yield* service.stored, [])
    }))

  it.live("runs without a user, with memory=false, and of users who switched memory off are not read", () =>
    Effect.gen(function*() {
      const service = yield* learning([answer, answer, answer], [])
      yield* service.run({ message: "Hi" })
      yield* service.run({ ...fields, memory: "false" })
      yield* service.stores().memorySettings.set(ann, false, 1)
      yield* service.run(fields)
      assert.strictEqual((yield* service.learningJobs).total, 0)
      assert.deepStrictEqual(yield* service.reading.calls, [])
    }))

  it.live("a run without a user teaches a shared namespace", () =>
    Effect.gen(function*() {
      const lists = { learned_knowledge: [{ title: "Tea", learning: "It is hot." }] }
      const service = yield* learning([answer], [learned(lists)], { namespace: "desk" })
      yield* service.run({ message: "Tea is hot." })
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const rows = yield* service.stored
      assert.deepStrictEqual(column(rows, "namespace"), ["desk"])
      assert.deepStrictEqual(column(rows, "user_id"), [null])
    }))

  it.live("a run of a workflow is read once after its end, and its steps and members are not", () =>
    Effect.gen(function*() {
      const service = yield* learning([answer, answer], [learned(tea)])
      const response = yield* service.send("/workflows/workflow/runs")
      assert.strictEqual(response.status, 200)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual((yield* service.learningJobs).total, 1)
      const [read] = yield* service.reading.calls
      assert.include(JSON.stringify(read!.prompt), "My name is Ann.")
      assert.include(JSON.stringify(read!.prompt), "Noted.")
      assert.deepStrictEqual(column(yield* service.stored, "learning_id"), ["memories_ann"])
      yield* service.send("/workflows/workflow/runs", { ...fields, session_id: "w", memory: "false" })
      assert.strictEqual((yield* service.learningJobs).total, 1)
    }))

  it.live("a run of a team is read once, with the options of the team", () =>
    Effect.gen(function*() {
      const service = yield* learning([
        [Script.toolCall("delegate_task_to_member", { member_id: "agent", task: "Answer" })],
        answer,
        answer,
        learned(tea)
      ], [])
      assert.strictEqual((yield* service.send("/teams/team/runs")).status, 200)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual((yield* service.learningJobs).total, 1)
      const [stored] = yield* service.stored
      assert.deepInclude(stored as object, { learning_id: "memories_ann", agent_id: null, team_id: "team" })
      assert.deepStrictEqual(yield* service.reading.calls, [])
    }))

  it.live("deleting the memory of a user cancels what is being learned, and a run from before teaches nothing", () =>
    Effect.gen(function*() {
      const [requested, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const waiting = Script.wait(Effect.andThen(Deferred.succeed(requested, undefined), Deferred.await(released)))
      const service = yield* learning([[waiting, ...answer]], [learned(tea)])
      const running = yield* Effect.forkChild(service.run(fields))
      yield* Deferred.await(requested)
      yield* send(service.server, "DELETE", "/users/ann/memory", {})
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(running)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.deepStrictEqual(yield* service.stored, [])
    }))
})

describe("an agent with memory in a workflow", () => {
  it.live("a run of the workflow is read once for memories, which come from the run", () =>
    Effect.gen(function*() {
      const change = { action: "create", id: "", memory: "Fact", topics: [], reason: "" }
      const [talking, reading] = [
        yield* Script.make([answer, answer]),
        yield* Script.make([
          [Script.text(JSON.stringify({ changes: [change] }))]
        ])
      ]
      const memory = { update: "inline", model: reading.model } as const
      const agent = Agent.make({ id: "agent", model: talking.model, memory })
      const inner = Workflow.make({ id: "inner", steps: [agent] })
      const workflow = Workflow.make({ id: "workflow", steps: [inner, Step.make({ name: "two", agent })] })
      const service = yield* open({ workflows: [workflow] })
      const body = new URLSearchParams({ ...fields, stream: "false" })
      const response = yield* service.server.fetch("/workflows/workflow/runs", { method: "POST", body })
      const json = yield* Effect.promise(() => response.json())
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual((yield* service.jobs).total, 1)
      const [stored] = yield* service.stores().memories.relevant(ann, { maxBytes: 10_000, maxCount: 10 })
      assert.deepInclude(stored as object, { memory: "Fact", run_id: at(json, "run_id"), agent_id: "agent" })
    }))
})
