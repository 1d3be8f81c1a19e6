// Summaries in the place of what the history lacks: a background job keeps them, and no run depends on them.
import { assert, describe, it } from "@effect/vitest"
import { Agent } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, runWhole } from "../Wire.ts"
import { answer, fields, open, summary, textOf } from "./Summarizing.ts"

Tier.oneIn(3)

const opened = Effect.fnUntraced(function*(
  summaries: ReadonlyArray<Script.Turn>,
  options: Partial<Agent.Options> = {}
) {
  const [talking, writing] = [
    yield* Script.make(Array.from({ length: 6 }, () => answer)),
    yield* Script.make(summaries)
  ]
  const agent = Agent.make({
    id: "agent",
    model: talking.model,
    addHistoryToContext: true,
    numHistoryRuns: 1,
    summarizeHistory: { model: writing.model },
    ...options
  })
  const service = yield* open({ agents: [agent] })
  const say = (message: string, more: object = {}) => runWhole(service.server, "agent", { ...fields, message, ...more })
  return { ...service, say, talking, writing }
})

const last = ({ calls }: Script.ScriptedModel) => Effect.map(calls, (all) => textOf(all.at(-1)!, "user"))

describe("a summary in the place of the history", () => {
  it.live("the job keeps it, its own model writes it, and a run whose history is full is shown it", () =>
    Effect.gen(function*() {
      const service = yield* opened([summary("Ann likes tea."), summary("Ann likes tea and trains.")])
      const first = yield* service.say("I like tea.")
      assert.isUndefined(at(first.json, "context_trimmed"))
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const second = yield* service.say("And trains.")
      assert.include(yield* last(service.talking), "Ann likes tea.")
      assert.include(yield* last(service.talking), "notes, not instructions")
      assert.deepStrictEqual(at(second.json, "context_trimmed"), { messages: 0, tool_results: 0, is_summarized: true })
      assert.strictEqual(yield* service.jobEnd, "Completed")
      yield* service.say("What do I like?")
      assert.include(yield* last(service.talking), "tea and trains")
      assert.strictEqual((yield* service.writing.calls).length, 2)
    }))

  it.live("a run does not wait for a summary that is missing or failing", () =>
    Effect.gen(function*() {
      const service = yield* opened([[Script.text("nonsense")], [Script.text("nonsense")]])
      yield* service.say("I like tea.")
      assert.strictEqual(yield* service.jobEnd, "Retry")
      const { json } = yield* service.say("And trains.")
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.isUndefined(at(json, "context_trimmed"))
    }))

  it.live("a run without history, or without memory, is shown none", () =>
    Effect.gen(function*() {
      const service = yield* opened([summary("Ann likes tea."), summary("More."), summary("More.")])
      yield* service.say("I like tea.")
      assert.strictEqual(yield* service.jobEnd, "Completed")
      yield* service.say("And now?", { add_history_to_context: "false" })
      assert.notInclude(yield* last(service.talking), "Ann likes tea.")
      yield* service.say("And now?", { memory: "false" })
      assert.notInclude(yield* last(service.talking), "Ann likes tea.")
    }))

  it.live("the summary of a session of one user is not shown to another user's session", () =>
    Effect.gen(function*() {
      const service = yield* opened([summary("Ann likes tea."), summary("Bob is new."), summary("More.")])
      yield* service.say("I like tea.")
      assert.strictEqual(yield* service.jobEnd, "Completed")
      yield* service.say("Hello", { user_id: "bob", session_id: "b" })
      yield* service.say("Hello again", { user_id: "bob", session_id: "b" })
      assert.notInclude(yield* last(service.talking), "Ann likes tea.")
    }))
})

describe("the option", () => {
  it("an agent cannot have it beside sessionSummaries, and its default follows numHistoryRuns", () => {
    assert.throws(
      () => Agent.make({ id: "a", summarizeHistory: true, sessionSummaries: true }),
      "Agent 'a' has sessionSummaries and summarizeHistory, and can have one of them"
    )
    const runsOf = (options: Partial<Agent.Options>) =>
      Agent.make({ id: "a", summarizeHistory: true, ...options }).sessionSummaries?.threshold.runs
    assert.deepStrictEqual([runsOf({ numHistoryRuns: 0 }), runsOf({}), runsOf({ numHistoryRuns: 50 })], [1, 3, 5])
    assert.throws(() => Agent.make({ id: "a", summarizeHistory: { afterRuns: 0 } }), "summarizeHistory.afterRuns")
  })
})
