// Continuing workflows that wait for people: which decisions are accepted, which are refused with which
// status, and that a refusal changes nothing.
import { assert, describe, it } from "@effect/vitest"
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { at, badRequest, failed, frames, get, kindsOf, notFound, serve, undecided } from "../Wire.ts"
import { askingFlow, first, last, plainFlow, proceed, resolved, seen, start } from "./Flows.ts"

Tier.oneIn(10)

let failures = 0

const failing = Workflow.make({
  id: "failing",
  steps: [
    Step.make({
      name: "bad",
      onError: "pause",
      run: () => {
        failures++
        if (failures % 2 === 1) throw new Error("no luck")
        return "luck"
      }
    })
  ]
})

const routed = Workflow.make({
  id: "routed",
  steps: [
    first,
    Router.make({
      name: "pick",
      selection: { message: "Which?" },
      choices: [last, Step.make({ name: "b", run: () => "b" })]
    })
  ]
})

const timed = Workflow.make({
  id: "timed",
  steps: [Step.make({ name: "asked", confirmation: { timeout: "1 minute", onTimeout: "skip" }, run: () => "agreed" })]
})

/** The field of a person has a rule that the fields of the wire do not show. */
const form = Workflow.make({
  id: "form",
  steps: [Step.make({
    name: "nested",
    workflow: Workflow.make({
      id: "inner",
      steps: [Step.make({
        name: "ask",
        userInput: {
          message: "How many?",
          schema: Schema.Struct({ count: Schema.Int.check(Schema.isGreaterThan(0)) })
        },
        run: ({ userInput }) => `${userInput.count} ordered`
      })]
    })
  })]
})

export const served = serve({ workflows: [askingFlow, plainFlow, failing, form, routed, timed] })

describe("a run that waits", () => {
  it.effect("a paused run says what it waits for, streamed or not", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { json, status } = yield* start(server, "asking")
      assert.deepStrictEqual([status, at(json, "status"), at(json, "paused_step_name")], [200, "PAUSED", "asked"])
      const all = frames((yield* start(server, "asking", { run_id: "r2", stream: "true" })).text)
      assert.deepStrictEqual(kindsOf(all).slice(-2), ["StepPaused", "WorkflowPaused"])
      const stored = yield* get(server, "/workflows/asking/runs/r?session_id=s")
      assert.deepStrictEqual(at(stored.json, "step_requirements"), at(json, "step_requirements"))
    }))

  it.effect("a run continues with the decision, under the same id, and the numbering of its events continues", () =>
    Effect.gen(function*() {
      const server = yield* served
      const before = frames((yield* start(server, "asking", { stream: "true" })).text)
      const paused = (yield* get(server, "/workflows/asking/runs/r?session_id=s")).json
      const answer = yield* proceed(server, "asking", {
        stream: "true",
        step_requirements: resolved(paused, { confirmed: true })
      })
      const after = frames(answer.text)
      assert.strictEqual(after[0]?.id, before.length)
      assert.deepStrictEqual([after[0]?.kind, after.at(-1)?.kind], ["StepContinued", "WorkflowCompleted"])
      const all = frames((yield* get(server, "/workflows/asking/runs/r/events?session_id=s")).text)
      assert.deepStrictEqual(all, [...before, ...after])
      const { json } = yield* get(server, "/workflows/asking/runs/r?session_id=s")
      assert.deepStrictEqual([at(json, "status"), at(json, "content")], ["COMPLETED", "after agreed"])
    }))

  it.effect("a resolution with only the step and the decision is accepted", () =>
    Effect.gen(function*() {
      const server = yield* served
      const step_id = at((yield* start(server, "asking")).json, "step_requirements", 0, "step_id")
      const step_requirements = JSON.stringify([{ step_id, confirmed: false }])
      const { json, status } = yield* proceed(server, "asking", { step_requirements })
      assert.deepStrictEqual([status, at(json, "status"), at(json, "content")], [200, "COMPLETED", "after did go"])
    }))

  it.effect("a decision about a step is sent in requirements too, as confirmed or confirmation", () =>
    Effect.gen(function*() {
      for (const decision of [{ confirmed: false }, { confirmation: false }]) {
        const server = yield* served
        const step_id = at((yield* start(server, "asking")).json, "step_requirements", 0, "step_id")
        const requirements = JSON.stringify([{ step_id, ...decision }])
        const { json, status } = yield* proceed(server, "asking", { requirements })
        assert.deepStrictEqual([status, at(json, "status"), at(json, "content")], [200, "COMPLETED", "after did go"])
      }
    }))

  it.effect("a decision about a failed step is sent in requirements too", () =>
    Effect.gen(function*() {
      const server = yield* served
      const [requirement] = at((yield* start(server, "failing")).json, "error_requirements") as ReadonlyArray<object>
      const requirements = JSON.stringify([{ ...requirement, decision: "retry" }])
      const { json } = yield* proceed(server, "failing", { requirements })
      assert.deepStrictEqual([at(json, "status"), at(json, "content")], ["COMPLETED", "luck"])
    }))

  it.effect("values that the schema of the step refuses change nothing, and others continue the run", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { json } = yield* start(server, "form")
      assert.deepStrictEqual(at(json, "step_requirements", 0, "user_input_schema"), [
        { name: "count", field_type: "int", description: null, value: null, required: true }
      ])
      const before = yield* seen(server, "form")
      const given = (user_input: object) =>
        proceed(server, "form", { step_requirements: resolved(json, { user_input }) })
      const refused = yield* given({ count: 0 })
      assert.strictEqual(refused.status, 422, refused.text)
      assert.include(refused.text, "count: Expected a number above 0")
      assert.strictEqual(yield* seen(server, "form"), before)
      const done = yield* given({ count: 2 })
      assert.deepStrictEqual([at(done.json, "status"), at(done.json, "content")], ["COMPLETED", "2 ordered"])
    }))

  it.effect("a choice is made by a name", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* start(server, "routed")
      const step_requirements = resolved(paused.json, { selected_choices: ["b"] })
      const { json } = yield* proceed(server, "routed", { step_requirements })
      assert.deepStrictEqual([at(json, "status"), at(json, "content")], ["COMPLETED", "b"])
    }))

  it.effect("a failed step waits for the decision whether it is retried", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* start(server, "failing")
      assert.strictEqual(at(paused.json, "status"), "PAUSED")
      const [requirement] = at(paused.json, "error_requirements") as ReadonlyArray<object>
      undecided(
        yield* proceed(server, "failing"),
        /^Cannot continue run - unresolved error requirements: \['bad'\]. Send `decision`, as approve\(run\)/
      )
      const error_requirements = JSON.stringify([{ ...requirement, decision: "retry" }])
      const { json } = yield* proceed(server, "failing", { error_requirements })
      assert.deepStrictEqual([at(json, "status"), at(json, "content")], ["COMPLETED", "luck"])
    }))

  it.effect("an expired requirement is decided by its deadline, and another decision that comes late is refused", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* start(server, "timed")
      yield* TestClock.adjust("1 minute")
      const before = yield* seen(server, "timed")
      const refused = yield* proceed(server, "timed", { step_requirements: resolved(paused.json, { confirmed: true }) })
      failed(refused, 409, "CONFLICT", /^Step 'asked' was not decided before .*, and it is skipped now: reject it, or/)
      assert.strictEqual(yield* seen(server, "timed"), before)
      const { json } = yield* proceed(server, "timed")
      assert.deepStrictEqual([at(json, "status"), at(json, "content")], ["COMPLETED", "No steps executed"])
    }))

  it.effect("a rejection that comes too late for a step that is approved then is refused, and the step waits", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const confirmation = { timeout: "1 minute", onTimeout: "approve" } as const
      const userInput = { ...confirmation, schema: Schema.Struct({ day: Schema.String }) }
      const pay = Step.make({ name: "pay", confirmation, run: () => (done.push("pay"), "paid") })
      const ask = Step.make({ name: "ask", userInput, run: ({ userInput: { day } }) => (done.push(day), day) })
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps: [pay, ask] })] })
      const { json: run } = yield* start(server, "w")
      yield* TestClock.adjust("1 minute")
      const no = { confirmed: false, rejection_feedback: "Stop." }
      failed(
        yield* proceed(server, "w", { step_requirements: resolved(run, no) }),
        409,
        "CONFLICT",
        /'pay' was not decided .* it is approved now/
      )
      assert.deepStrictEqual(done, [])
      const next = yield* proceed(server, "w", { step_requirements: resolved(run, { confirmed: true }) })
      assert.deepStrictEqual([at(next.json, "status"), done], ["PAUSED", ["pay"]], next.text)
      yield* TestClock.adjust("1 minute")
      const lacking = yield* proceed(server, "w")
      failed(lacking, 422, "VALIDATION_ERROR", /Send values of 'day' in `user_input`/)
      assert.deepStrictEqual(at(lacking.json, "errors", 0, "needs"), [{ name: "ask", kind: "values", names: ["day"] }])
      const values = { user_input: { day: "friday" } }
      const { json, text } = yield* proceed(server, "w", { step_requirements: resolved(next.json, values) })
      assert.deepStrictEqual([at(json, "status"), done], ["COMPLETED", ["pay", "friday"]], text)
    }))

  it.effect("a paused run that is cancelled ends at once, and cannot be continued", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* start(server, "asking")
      yield* server.fetch("/workflows/asking/runs/r/cancel", { method: "POST" })
      const still = yield* get(server, "/workflows/asking/runs/r?session_id=s")
      assert.strictEqual(at(still.json, "status"), "CANCELLED")
      const step_requirements = resolved(paused.json, { confirmed: true })
      const answer = yield* proceed(server, "asking", { step_requirements })
      failed(answer, 409, "CONFLICT", "run is already cancelled")
    }))
})

describe("a continuation is refused, and nothing is changed by it,", () => {
  it.effect("a decision that was not requested is refused, and changes nothing", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* start(server, "asking")
      const before = yield* seen(server, "asking")
      const id = String(at(paused.json, "step_requirements", 0, "step_id"))
      const structure = /^Invalid structure or content for step_requirements: /
      const missing =
        /^Cannot continue run - unresolved step requirements: \['asked'\]. Send `confirmed`, as approve\(run\)/
      const refusals: ReadonlyArray<readonly [string, string | RegExp]> = [
        ["{", "Invalid JSON in step_requirements field"],
        ["{}", structure],
        ["[1]", structure],
        ["[{}]", structure],
        [`[{"step_id":"${id}","confirmed":"yes"}]`, structure],
        [`[{"step_id":"other","confirmed":true}]`, structure],
        [`[{"step_id":"${id}","confirmed":false,"edited_output":"x"}]`, structure],
        [`[]`, missing],
        [`[{"step_id":"${id}"}]`, missing],
        [resolved(paused.json, {}), missing]
      ]
      for (const [step_requirements, detail] of refusals) {
        for (const stream of ["false", "true"]) {
          const refused = step_requirements === "{" ? badRequest : undecided
          refused(yield* proceed(server, "asking", { step_requirements, stream }), detail)
        }
      }
      undecided(yield* proceed(server, "asking"), missing)
      badRequest(
        yield* proceed(server, "asking", { error_requirements: "{" }),
        "Invalid JSON in error_requirements field"
      )
      assert.strictEqual(yield* seen(server, "asking"), before)
      const { json } = yield* proceed(server, "asking", {
        step_requirements: resolved(paused.json, { confirmed: true })
      })
      assert.strictEqual(at(json, "status"), "COMPLETED")
    }))

  it.effect("a decision for a run that does not wait is refused, and changes nothing", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* start(server, "plain")
      const before = yield* seen(server, "plain")
      for (const stream of ["false", "true"]) {
        failed(yield* proceed(server, "plain", { stream }), 409, "CONFLICT", "run is already completed")
      }
      assert.strictEqual(yield* seen(server, "plain"), before)
    }))

  it.effect("a repeated decision is refused, and changes nothing", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* start(server, "asking")
      const step_requirements = resolved(paused.json, { confirmed: true })
      yield* proceed(server, "asking", { step_requirements })
      const before = yield* seen(server, "asking")
      const again = yield* proceed(server, "asking", { step_requirements: resolved(paused.json, { confirmed: false }) })
      failed(again, 409, "CONFLICT", "run is already completed")
      assert.strictEqual(yield* seen(server, "asking"), before)
    }))

  it.effect("the second of two decisions at once is refused", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* start(server, "asking")
      const once = proceed(server, "asking", { step_requirements: resolved(paused.json, { confirmed: true }) })
      const answers = yield* Effect.all([once, once, once], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
    }))

  it.effect("a decision about an unknown run, session or workflow is refused", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* start(server, "asking")
      badRequest(yield* proceed(server, "asking", { session_id: "" }), "session_id is required for this action")
      notFound(yield* proceed(server, "asking", { session_id: "other" }), "Run not found")
      notFound(yield* proceed(server, "plain"), "Run not found")
      notFound(yield* proceed(server, "none"), "Workflow not found")
    }))
})

describe("an Idempotency-Key", () => {
  it.effect("a repeated key gets the response again, and no second decision is made", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* start(server, "asking")
      const fields = { step_requirements: resolved(paused.json, { confirmed: true }) }
      const one = yield* proceed(server, "asking", fields, { "idempotency-key": "k" })
      const two = yield* proceed(server, "asking", fields, { "idempotency-key": "k" })
      assert.deepStrictEqual<unknown>([two.status, two.json], [one.status, one.json])
    }))

  it.effect("the key of a refused continuation can be used again", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* start(server, "asking")
      const key = { "idempotency-key": "k" }
      undecided(yield* proceed(server, "asking", {}, key))
      const fields = { step_requirements: resolved(paused.json, { confirmed: true }) }
      assert.strictEqual((yield* proceed(server, "asking", fields, key)).status, 200)
    }))
})
