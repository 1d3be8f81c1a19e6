// What workflows of a channel wait for, several steps at once, while other people decide them elsewhere.
import { assert, describe, it } from "@effect/vitest"
import type * as Chain from "@svc-runtime/agents/workflow/define/Chain"
import * as ForEach from "@svc-runtime/agents/workflow/define/ForEach"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import type * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { at, get, list, post } from "../Wire.ts"
import * as Chatting from "./Chatting.ts"
import { passing } from "./ScheduleTime.ts"

type Object = Readonly<Record<string, unknown>>

/** A person starts the workflow, and is asked. */
const waiting = Effect.fnUntraced(function*(...steps: Chain.Elements) {
  const { platform, send, server } = yield* Chatting.chatting({
    workflows: [Workflow.make({ id: "flow", steps })],
    channel: { agent: undefined, workflow: "flow" }
  })
  yield* send({ id: "E1", text: "Go" })
  yield* Chatting.until(platform, () => platform.messages.some(({ prompt }) => prompt !== undefined))
  const session_id = String(at(list((yield* get(server, "/sessions?type=workflow")).json, "data"), 0, "session_id"))
  const runs = yield* get(server, `/workflows/flow/runs?session_id=${session_id}`)
  const path = `/workflows/flow/runs/${String(at(list(runs.json)[0], "run_id"))}`
  const read = Effect.map(get(server, `${path}?session_id=${session_id}`), ({ json }) => json)
  let count = 0
  const press = (choice: string, fields: Partial<MemoryPlatform.Written> = {}) => {
    const prompt = platform.messages.findLast((message) => message.prompt !== undefined)?.prompt?.id
    return send({ id: `P${++count}`, type: "press", prompt, choice, ...fields })
  }
  /** Over the API, on the step with the name. */
  const decide = Effect.fnUntraced(function*(name: string, of: (step: unknown) => Object) {
    const run = yield* read
    const step = list(run, "step_requirements").find((each) =>
      at(each, "step_name") === name && at(each, "resolved") !== true
    )
    const requirements = [{ id: at(step, "id"), step_id: at(step, "step_id"), ...of(step) }]
    const { status, text } = yield* post(server, `${path}/continue`, { session_id, stream: false, requirements })
    assert.strictEqual(status, 200, text)
  })
  const shows = (text: string) =>
    Chatting.until(platform, () => platform.texts().some((each) => each.endsWith(`\n\n${text}`)))
  return { decide, platform, press, read, shows }
})

const answer = (value: string) => (step: unknown): Object =>
  at(step, "executor_requirements") === undefined ? { user_input: { answer: value } } : {
    executor_requirements: list(step, "executor_requirements").slice(-1).map((call) => ({
      id: at(call, "id"),
      user_input_schema: [{ name: "answer", value }]
    }))
  }

/** A step beside another one, which asks: an agent's tool, that asks twice, and a function that fails then. */
const others = {
  "asks again": Effect.gen(function*() {
    const clean = Tool.make({
      name: "clean",
      execute: async (_, { pause }) => `${await pause({ question: "Drafts?" })} ${await pause({ question: "All?" })}`
    })
    const { model } = yield* Script.make([[Script.toolCall("clean", {}, "c1")], [Script.text("Done.")]])
    return Step.make({ name: "other", agent: Agent.make({ id: "cleaner", model, tools: [clean] }) })
  }),
  "fails": Effect.succeed(Step.make({
    name: "other",
    onError: "pause",
    run: async ({ pause }) => {
      await pause({ question: "Drafts?" })
      throw new Error("broken")
    }
  }))
}

describe("several steps that wait in a conversation", () => {
  it.effect.each(["asks again", "fails"] as const)(
    "the question about a step stays open while another step %s",
    (what) =>
      Effect.gen(function*() {
        const done: Array<string> = []
        const sure = Step.make({
          name: "sure",
          confirmation: { message: "Sure?" },
          run: () => (done.push("sure"), "ok")
        })
        const { decide, platform, press, read } = yield* waiting(
          Parallel.make({ name: "all", steps: [sure, yield* others[what]] })
        )
        const [question = ""] = platform.texts()
        assert.match(question, /Sure\?/)
        yield* decide("other", answer("yes"))
        yield* passing(Effect.sleep("30 seconds"))
        assert.deepStrictEqual(platform.texts(), [question])
        yield* press("approve")
        yield* Chatting.until(platform, () => platform.messages.length === 2)
        assert.deepStrictEqual([platform.texts()[0], done], [`${question}\n\n✓ Approved by Name of U1`, ["sure"]])
        assert.strictEqual(at(yield* read, "status"), "PAUSED")
      })
  )

  it.effect("the question about a step stays open while the answer of another step is executed", () =>
    Effect.gen(function*() {
      const [begins, ends] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const done: Array<string> = []
      const sure = Step.make({ name: "sure", confirmation: { message: "Sure?" }, run: () => (done.push("sure"), "ok") })
      const other = Step.make({
        name: "other",
        run: async ({ pause }) => {
          await pause({ question: "Drafts?" })
          await Effect.runPromise(Effect.andThen(Deferred.succeed(begins, undefined), Deferred.await(ends)))
          return "cleaned"
        }
      })
      const { decide, platform, press, shows } = yield* waiting(Parallel.make({ name: "all", steps: [sure, other] }))
      const [question = ""] = platform.texts()
      assert.match(question, /Sure\?/)
      const decided = yield* Effect.forkChild(decide("other", answer("yes")))
      yield* Deferred.await(begins)
      yield* passing(Effect.sleep("30 seconds"))
      assert.deepStrictEqual(platform.texts(), [question])
      yield* press("approve")
      yield* Chatting.until(platform, () => platform.messages.length === 2)
      assert.deepStrictEqual(platform.texts(), [
        question,
        "I am still working on another answer. Please decide this again in a moment."
      ])
      yield* Deferred.succeed(ends, undefined)
      yield* Fiber.join(decided)
      assert.deepStrictEqual(done, [])
      yield* press("approve")
      yield* shows("✓ Approved by Name of U1")
      yield* Chatting.until(platform, () => done.length === 1)
    }))

  const no = { confirmed: false, rejection_feedback: "Not today." }

  it.effect.each(
    [
      ["✓ Approved", { confirmed: true }],
      ["✗ Rejected: Not today.", no]
    ] as const
  )(
    "a step that was decided elsewhere is shown so, also of several with one name: %s",
    ([expected, decision]) =>
      Effect.gen(function*() {
        const sure = Step.make({ name: "sure", confirmation: { message: "Sure?" }, run: () => "ok" })
        const each = ForEach.make({ name: "each", steps: [sure] })
        const { decide, platform, read, shows } = yield* waiting(() => ["a", "b"], each)
        const shown = list(yield* read, "step_requirements").at(-1)
        yield* decide("sure", () => ({ id: at(shown, "id"), step_id: at(shown, "step_id"), ...decision }))
        yield* shows(expected)
        assert.isTrue(platform.texts()[0]?.endsWith(expected))
      })
  )

  it.effect("values of a step that were entered elsewhere are shown as an answer", () =>
    Effect.gen(function*() {
      const day = Step.make({
        name: "day",
        userInput: { schema: Schema.Struct({ day: Schema.String }) },
        run: () => ""
      })
      const { decide, shows } = yield* waiting(day)
      yield* decide("day", () => ({ user_input: { day: "friday" } }))
      yield* shows("✓ Answered")
    }))

  /** The model answers after the decision as soon as the test lets it. */
  const ordering = Effect.gen(function*() {
    const done: Array<string> = []
    const ends = yield* Deferred.make<void>()
    const tool = (name: string) =>
      Tool.make({ name, requiresConfirmation: true, execute: () => (done.push(name), `did ${name}`) })
    const { model } = yield* Script.make([
      [Script.toolCall("order", {}, "c1"), Script.toolCall("pay", {}, "c2")],
      [Script.wait(ends), Script.text("Done.")]
    ])
    const agent = Agent.make({ id: "buyer", model, tools: [tool("order"), tool("pay")] })
    return { done, ends: Deferred.succeed(ends, undefined), ...yield* waiting(Step.make({ name: "buy", agent })) }
  })

  const calls = (decision: Object) => (step: unknown): Object => ({
    executor_requirements: list(step, "executor_requirements").map((call) => ({ ...call as Object, ...decision }))
  })

  it.effect.each<readonly [string, (step: unknown) => Object]>([
    ["✗ Rejected: Not today.", () => no],
    ["✗ Rejected: Not today.", (step) => ({ ...step as Object, ...no })],
    ["✗ Rejected: Never.", (step) => ({ ...calls({ confirmation_note: "Never." })(step), ...no })],
    ["✗ Rejected: Never.", calls({ confirmation: false, confirmation_note: "Never." })],
    ["✓ Approved", calls({ confirmed: true })]
  ])(
    "a call inside a step that was decided elsewhere is shown so: %s",
    ([expected, decision]) =>
      Effect.gen(function*() {
        const { decide, ends, platform, shows } = yield* ordering
        const decided = yield* Effect.forkChild(decide("buy", decision))
        yield* shows(expected)
        assert.isTrue(platform.texts()[0]?.endsWith(expected))
        yield* ends
        yield* Fiber.join(decided)
      })
  )

  it.effect("an answer that did not count, because the whole step was decided elsewhere, is shown no more", () =>
    Effect.gen(function*() {
      const { decide, done, ends, platform, press, shows } = yield* ordering
      yield* press("approve")
      yield* shows("✓ Approved by Name of U1")
      yield* Chatting.until(platform, () => platform.messages.length === 2)
      yield* ends
      yield* decide("buy", () => no)
      yield* Chatting.until(platform, () => platform.texts().at(-1) === "Done.")
      yield* passing(Effect.sleep("30 seconds"))
      assert.deepStrictEqual(done, [])
      assert.deepStrictEqual(platform.texts().map((text) => text.split("\n").at(-1)), [
        "✗ Rejected: Not today.",
        "✗ Rejected: Not today.",
        "Done."
      ])
    }))
})
