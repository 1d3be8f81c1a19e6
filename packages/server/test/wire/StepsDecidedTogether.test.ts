// Several steps of a workflow wait at the same time, and one request decides on them: each decision counts, and the
// steps without one wait on.
import { assert, describe, it } from "@effect/vitest"
import * as ForEach from "@svc-runtime/agents/workflow/define/ForEach"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber, Schema } from "effect"
import { at, failed, get, list, serve } from "../Wire.ts"
import { post, proceed, start } from "./Flows.ts"

Tier.oneIn(3)

/** An agent whose model calls a tool that needs a decision. */
const ordering = Effect.fnUntraced(function*(
  id: string,
  options: Partial<Tool.Options<Schema.Codec<{ readonly item: string }>>> = {},
  { isTogether = false, runs = 1 } = {}
) {
  const ordered: Array<string> = []
  const order = Tool.make({
    name: "order",
    parameters: Schema.Struct({ item: Schema.String }),
    requiresConfirmation: true,
    ...options,
    execute: ({ item }) => (ordered.push(item), `ordered ${item}`)
  })
  const turns = Array.from({ length: runs }, (_, index) => Script.toolCall("order", { item: id }, `${id}_${index}`))
  const ends = turns.map(() => [Script.text("Done.")])
  const { model } = yield* Script.make(
    isTogether ? [...turns.map((call) => [call]), ...ends] : turns.flatMap((call) => [[call], [Script.text("Done.")]])
  )
  return { agent: Agent.make({ id, model, tools: [order] }), ordered }
})

const sent = (steps: ReadonlyArray<unknown>) => ({ step_requirements: JSON.stringify(steps) })

/** By the names of the steps, and by their places. */
const stepsOf = (run: unknown) =>
  list(run, "step_requirements").toSorted((one, other) => orderOf(one).localeCompare(orderOf(other)))
const orderOf = (step: unknown) => `${String(at(step, "step_name"))} ${String(at(step, "step_index"))}`

const calls = (step: unknown, decision: object) => ({
  ...step as object,
  executor_requirements: list(step, "executor_requirements").map((call) => ({ ...call as object, ...decision }))
})
const yes = (step: unknown) => calls(step, { confirmed: true })
const no = (step: unknown) => calls(step, { confirmed: false })

/** Three steps that ask on their own, and have done what is confirmed. */
const confirming = Effect.fnUntraced(function*() {
  const done: Array<string> = []
  const step = (name: string) => Step.make({ name, confirmation: true, run: () => (done.push(name), name) })
  const steps = [Parallel.make({ name: "all", steps: [step("a"), step("b"), step("c")] })]
  const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
  return { done, run: (yield* start(server, "w")).json, server }
})

const outcome = Effect.fnUntraced(function*(server: TestServer.TestServer, steps: ReadonlyArray<unknown>, id = "w") {
  const { json, status, text } = yield* proceed(server, id, sent(steps))
  assert.strictEqual(status, 200, text)
  return json
})

describe("decisions about several steps that wait", () => {
  it.effect("each of them counts for the calls of the agents of parallel steps, with rejections and edits", () =>
    Effect.gen(function*() {
      const all = yield* Effect.forEach(["a", "b", "c"], (id) => ordering(id))
      const steps = [Parallel.make({ name: "all", steps: all.map(({ agent }) => agent) })]
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
      const [a, b, c] = stepsOf((yield* start(server, "w")).json)
      const edited = {
        confirmed: true,
        tool_execution: { ...at(b, "executor_requirements", 0, "tool_execution") as {} }
      }
      const other = calls(b, { ...edited, tool_execution: { ...edited.tool_execution, tool_args: { item: "edited" } } })
      const run = yield* outcome(server, [no(a), other, yes(c)])
      assert.strictEqual(at(run, "status"), "COMPLETED")
      assert.deepStrictEqual(all.map(({ ordered }) => ordered), [[], ["edited"], ["c"]])
    }))

  it.effect("each of them counts for the items of a list, and the others wait on", () =>
    Effect.gen(function*() {
      const { agent, ordered } = yield* ordering("x", {}, { isTogether: true, runs: 3 })
      const items = Step.make({ name: "items", run: () => [1, 2, 3] })
      const steps = [items, ForEach.make({ name: "each", steps: [agent] })]
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
      const [a, b, c] = stepsOf((yield* start(server, "w")).json)
      const run = yield* outcome(server, [yes(a), no(b)])
      assert.strictEqual(at(run, "status"), "PAUSED")
      assert.deepStrictEqual(ordered, ["x"])
      assert.strictEqual(at(list(run, "step_requirements").at(-1), "id"), at(c, "id"))
      assert.strictEqual(at(yield* outcome(server, [yes(c)]), "status"), "COMPLETED")
      assert.deepStrictEqual(ordered, ["x", "x"])
    }))

  it.effect("each of them counts for the items of a list inside of a parallel step", () =>
    Effect.gen(function*() {
      const items = yield* ordering("item", {}, { isTogether: true, runs: 2 })
      const beside = yield* ordering("beside")
      const steps = [
        Step.make({ name: "items", run: () => [1, 2] }),
        Parallel.make({ name: "all", steps: [ForEach.make({ name: "each", steps: [items.agent] }), beside.agent] })
      ]
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
      const waiting = stepsOf((yield* start(server, "w")).json)
      assert.strictEqual(waiting.length, 3)
      const first = waiting.find((step) => at(step, "step_name") === "item")
      const run = yield* outcome(server, waiting.map((step) => step === first ? no(step) : yes(step)))
      assert.strictEqual(at(run, "status"), "COMPLETED")
      assert.deepStrictEqual([items.ordered, beside.ordered], [["item"], ["beside"]])
    }))

  it.effect("the run shows the call of a decision that was sent with its id alone", () =>
    Effect.gen(function*() {
      const all = yield* Effect.forEach(["a", "b"], (id) => ordering(id))
      const steps = [Parallel.make({ name: "all", steps: all.map(({ agent }) => agent) })]
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
      const [a] = stepsOf((yield* start(server, "w")).json)
      const [call] = list(a, "executor_requirements")
      const decided = {
        id: at(a, "id"),
        step_id: at(a, "step_id"),
        executor_requirements: [{ id: at(call, "id"), confirmed: true }]
      }
      const run = yield* outcome(server, [decided])
      assert.deepStrictEqual(at(stepsOf(run)[0], "executor_requirements"), [{ ...call as object, confirmed: true }])
      assert.strictEqual(at(yield* outcome(server, [decided, yes(stepsOf(run)[1])]), "status"), "COMPLETED")
      assert.deepStrictEqual(all.map(({ ordered }) => ordered), [["a"], ["b"]])
    }))

  it.effect("steps that are sent back without a decision wait on, wherever they are in the list", () =>
    Effect.gen(function*() {
      const { done, run, server } = yield* confirming()
      const [a, b, c] = stepsOf(run)
      const still = yield* outcome(server, [{ ...a as object, confirmed: true }, b, c])
      assert.deepStrictEqual([at(still, "status"), done], ["PAUSED", ["a"]])
      const open = stepsOf(still).map((step) => ({ ...step as object, confirmed: at(step, "confirmed") ?? true }))
      assert.strictEqual(at(yield* outcome(server, open), "status"), "COMPLETED")
      assert.deepStrictEqual(done.toSorted(), ["a", "b", "c"])
    }))

  it.effect("the run and its last event say which of the steps still wait", () =>
    Effect.gen(function*() {
      const { run, server } = yield* confirming()
      const waiting = (output: unknown) => stepsOf(output).map((step) => at(step, "resolved"))
      assert.deepStrictEqual(waiting(run), [false, false, false])
      const [, b] = stepsOf(run)
      const still = yield* outcome(server, [{ ...b as object, confirmed: false }])
      assert.deepStrictEqual(waiting(still), [false, true, false])
      const events = list((yield* get(server, "/sessions/s/runs/r?type=workflow")).json, "events")
      const paused = events.filter((event) => at(event, "event") === "WorkflowPaused").map(waiting)
      assert.deepStrictEqual(paused.at(-1) ?? waiting(still), [false, true, false])
      const done = yield* outcome(
        server,
        stepsOf(still).map((step) => ({ ...step as object, confirmed: at(step, "resolved") !== true }))
      )
      assert.deepStrictEqual([at(done, "status"), waiting(done)], ["COMPLETED", [undefined, undefined, undefined]])
    }))

  it.effect("no step waits of a run that is executed, or was cancelled while it waited", () =>
    Effect.gen(function*() {
      const begun = Promise.withResolvers<void>()
      const goes = Promise.withResolvers<void>()
      const run = () => (begun.resolve(), goes.promise.then(() => "done"))
      const steps = [Parallel.make({
        name: "all",
        steps: [Step.make({ name: "a", confirmation: true, run }), Step.make({ name: "b", confirmation: true, run })]
      })]
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
      const [a] = stepsOf((yield* start(server, "w")).json)
      const deciding = yield* Effect.forkChild(outcome(server, [{ ...a as object, confirmed: true }]))
      yield* Effect.promise(() => begun.promise)
      const shown = Effect.map(
        get(server, "/workflows/w/runs/r?session_id=s"),
        ({ json }) => [at(json, "status"), ...stepsOf(json).map((step) => at(step, "resolved"))]
      )
      assert.deepStrictEqual(yield* shown, ["RUNNING", undefined, undefined])
      goes.resolve()
      yield* Fiber.join(deciding)
      assert.deepStrictEqual(yield* shown, ["PAUSED", true, false])
      yield* post(server, "/workflows/w/runs/r/cancel?session_id=s")
      assert.deepStrictEqual(yield* shown, ["CANCELLED", undefined, undefined])
      const stored = stepsOf((yield* get(server, "/sessions/s/runs/r?type=workflow")).json)
      assert.deepStrictEqual(stored.map((step) => at(step, "resolved")), [undefined, undefined])
    }))

  it.effect("a step that asks itself and an agent inside of a loop are decided together, in each round", () =>
    Effect.gen(function*() {
      const { agent, ordered } = yield* ordering("x", {}, { runs: 2 })
      const done: Array<string> = []
      const ask = Step.make({ name: "ask", confirmation: true, run: () => (done.push("ask"), "asked") })
      const both = Parallel.make({ name: "both", steps: [ask, agent] })
      const inner = Workflow.make({
        id: "inner",
        steps: [Loop.make({ name: "loop", maxIterations: 2, steps: [both] })]
      })
      const outer = Workflow.make({ id: "w", steps: [Step.make({ name: "nested", workflow: inner })] })
      const server = yield* serve({ workflows: [inner, outer] })
      let run = (yield* start(server, "w")).json
      for (const round of [1, 2]) {
        const decided = stepsOf(run).map((step) =>
          at(step, "requires_executor_input") === true
            ? at(step, "executor_requirements", 0, "confirmed") === true ? step : yes(step)
            : { ...step as object, confirmed: true }
        )
        run = yield* outcome(server, decided)
        assert.deepStrictEqual([done.length, ordered.length], [round, round])
      }
      assert.strictEqual(at(run, "status"), "COMPLETED")
    }))

  it.effect("a step that has failed and one that waits are decided together", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const fails = Step.make({ name: "fails", onError: "pause", run: () => Effect.die(new Error("no")) })
      const ask = Step.make({ name: "ask", confirmation: true, run: () => (done.push("ask"), "asked") })
      const steps = [Parallel.make({ name: "both", steps: [fails, ask] })]
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
      const run = (yield* start(server, "w")).json
      const [failure] = list(run, "error_requirements")
      const { json, text } = yield* proceed(server, "w", {
        ...sent([{ ...stepsOf(run)[0] as object, confirmed: true }]),
        error_requirements: JSON.stringify([{ ...failure as object, decision: "skip" }])
      })
      assert.deepStrictEqual([at(json, "status"), done], ["COMPLETED", ["ask"]], text)
    }))

  it.effect("a request without a decision is refused with all steps that lack one", () =>
    Effect.gen(function*() {
      const { run, server } = yield* confirming()
      const confirm = "`confirmed`, as approve(run) and reject(run) of the clients do"
      const before = "Cannot continue run - unresolved step requirements:"
      const all = `${before} ['a', 'b', 'c']. Send ${confirm}`
      for (const fields of [{}, sent([]), sent(stepsOf(run)), sent(stepsOf(run).slice(0, 1))]) {
        failed(yield* proceed(server, "w", fields), 422, "VALIDATION_ERROR", all)
      }
      yield* outcome(server, [{ ...stepsOf(run)[1] as object, confirmed: true }])
      failed(yield* proceed(server, "w"), 422, "VALIDATION_ERROR", `${before} ['a', 'c']. Send ${confirm}`)
    }))

  it.effect("a request without a decision is refused with what each of the steps needs, of many with the first", () =>
    Effect.gen(function*() {
      const fails = Step.make({ name: "fails", onError: "pause", run: () => Effect.die(new Error("no")) })
      const day = Step.make({
        name: "day",
        userInput: { schema: Schema.Struct({ day: Schema.String }) },
        run: () => "day"
      })
      const many = Array.from({ length: 12 }, (_, n) => Step.make({ name: `s${n}`, confirmation: true, run: () => n }))
      const server = yield* serve({
        workflows: [
          Workflow.make({ id: "w", steps: [Parallel.make({ name: "both", steps: [fails, day] })] }),
          Workflow.make({ id: "many", steps: [Parallel.make({ name: "all", steps: many })] })
        ]
      })
      yield* start(server, "w")
      const lacking = yield* proceed(server, "w")
      assert.deepStrictEqual(at(lacking.json, "errors", 0, "needs"), [
        { name: "fails", kind: "retry", names: [] },
        { name: "day", kind: "values", names: ["day"] }
      ])
      failed(
        lacking,
        422,
        "VALIDATION_ERROR",
        "Cannot continue run - unresolved error and step requirements: ['fails', 'day']. Send for 'fails' `decision`, as " +
          "approve(run) (\"retry\") and reject(run) (\"skip\") of the clients do; for 'day' values of 'day' in " +
          "`user_input`, as answer(run, values) of the clients does"
      )
      const fields = { session_id: "many", run_id: "many" }
      yield* start(server, "many", fields)
      const refused = yield* post(server, "/workflows/many/runs/many/continue", { ...fields, stream: "false" })
      failed(refused, 422, "VALIDATION_ERROR", /'s\d+' and 2 more\]\. Send `confirmed`/)
    }))

  it.effect("what would be lost is refused, and nothing is decided", () =>
    Effect.gen(function*() {
      const { done, run, server } = yield* confirming()
      const [a, b] = stepsOf(run).map((step) => ({ ...step as object, confirmed: true }))
      const refused = (steps: ReadonlyArray<unknown>) => proceed(server, "w", sent(steps))
      failed(yield* refused([a, { ...a, confirmed: false }, b]), 422, "VALIDATION_ERROR", /step 'a' is decided twice/)
      failed(yield* refused([{ ...a, id: "x", step_id: "y" }, b]), 422, "VALIDATION_ERROR", /decision about 'x'/)
      failed(yield* refused([a, { ...b, user_input: { n: 1 } }]), 422, "VALIDATION_ERROR", /step 'b' takes no values/)
      assert.deepStrictEqual([at((yield* get(server, "/workflows/w/runs/r?session_id=s")).json, "status"), done], [
        "PAUSED",
        []
      ])
      yield* outcome(server, [a])
      failed(yield* refused([{ ...a, confirmed: false }, b]), 409, "CONFLICT", /does not wait for requirement/)
      yield* outcome(server, [a, b])
      assert.deepStrictEqual(done, ["a", "b"])
    }))

  it.effect("a decision that contradicts one that was made meanwhile is refused by the ids of the calls, too", () =>
    Effect.gen(function*() {
      const all = yield* Effect.forEach(["a", "b", "c"], (id) => ordering(id))
      const steps = [Parallel.make({ name: "all", steps: all.map(({ agent }) => agent) })]
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
      const read = stepsOf((yield* start(server, "w")).json)
      yield* outcome(server, [no(read[0])])
      const withoutIds = read.map((step) => ({ ...step as object, id: undefined }))
      failed(yield* proceed(server, "w", sent(withoutIds.map(yes))), 409, "CONFLICT", /does not wait for requirement/)
      assert.deepStrictEqual(all.flatMap(({ ordered }) => ordered), [])
      const same = { ...withoutIds[0], ...no(withoutIds[0]) }
      const { status, text } = yield* proceed(server, "w", sent([same, ...withoutIds.slice(1).map(yes)]))
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual(all.map(({ ordered }) => ordered), [[], ["b"], ["c"]])
    }))

  it.effect("a decision that contradicts one that was made meanwhile is refused by the place in the list, too", () =>
    Effect.gen(function*() {
      const { done, run, server } = yield* confirming()
      const read = list(run, "step_requirements").map((step) => step as object)
      yield* outcome(server, [{ ...read[0], confirmed: false }])
      const withoutIds = read.map((step) => ({ ...step, id: undefined, confirmed: true }))
      failed(yield* proceed(server, "w", sent(withoutIds)), 409, "CONFLICT", /does not wait for requirement/)
      assert.deepStrictEqual(done, [])
      yield* outcome(server, [{ ...withoutIds[0], confirmed: false }, ...withoutIds.slice(1)])
      assert.strictEqual(done.length, 2)
    }))

  it.effect("a rejection inside of a step that did something else, too, is in the content of the parallel step", () =>
    Effect.gen(function*() {
      const fine = Step.make({ name: "fine", run: () => "fine" })
      const asks = (name: string) => Step.make({ name, confirmation: { onReject: "skip" }, run: () => name })
      const both = (name: string) => Parallel.make({ name: "in", steps: [asks(name), fine] })
      const inner = Workflow.make({ id: "inner", steps: [both("nested")] })
      const loop = Loop.make({ name: "loop", maxIterations: 1, steps: [both("looped")] })
      const steps = [Parallel.make({ name: "all", steps: [Step.make({ name: "flow", workflow: inner }), loop] })]
      const server = yield* serve({ workflows: [inner, Workflow.make({ id: "w", steps })] })
      const read = stepsOf((yield* start(server, "w")).json)
      const no = read.map((step) => ({ ...step as object, confirmed: false, rejection_feedback: "too dear" }))
      const content = String(at(yield* outcome(server, no), "content"))
      for (const name of ["nested", "looped"]) {
        assert.strictEqual(
          content.split(`'${name}' skipped, because a person rejected it: too dear`).length,
          2,
          content
        )
      }
    }))

  it.effect("the approvals of all steps are given by one caller who may approve", () =>
    Effect.gen(function*() {
      const all = yield* Effect.forEach(["a", "b"], (id) => ordering(id, { approval: "required" }))
      const steps = [Parallel.make({
        name: "all",
        steps: all.map(({ agent }) => agent)
      })]
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
      const started = yield* start(server, "w")
      assert.strictEqual(started.status, 200, started.text)
      const [a, b] = stepsOf(started.json)
      assert.strictEqual(at(yield* outcome(server, [yes(a), no(b)]), "status"), "COMPLETED")
      assert.deepStrictEqual(all.map(({ ordered }) => ordered), [["a"], []])
      const approvals = list((yield* get(server, "/approvals")).json, "data")
      assert.deepStrictEqual(approvals.map((each) => at(each, "status")).toSorted(), ["approved", "rejected"])
    }))
})

/** A step that has failed, beside two that ask. */
const failing = Effect.fnUntraced(function*() {
  const done: Array<string> = []
  const fails = (name: string) =>
    Step.make({
      name,
      onError: "pause",
      effects: "idempotent",
      run: () => (done.push(name), Effect.die(new Error("no")))
    })
  const step = (name: string) => Step.make({ name, confirmation: true, run: () => (done.push(name), name) })
  const steps = [Parallel.make({ name: "all", steps: [fails("f"), fails("g"), step("a"), step("b")] })]
  const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
  const run = (yield* start(server, "w")).json
  done.length = 0
  const error = (name: string, decision: string | null) => ({
    ...list(run, "error_requirements").find((each) => at(each, "step_name") === name) as object,
    decision
  })
  const decide = (errors: ReadonlyArray<object>, steps: ReadonlyArray<object> = []) =>
    proceed(server, "w", {
      ...sent(steps),
      error_requirements: JSON.stringify(errors)
    })
  const [a, b] = stepsOf(run).map((each) => each as object)
  return { a, b, decide, done, error, server }
})

describe("decisions beside failed steps", () => {
  it.effect("a decision that contradicts one that was made meanwhile is refused, and nothing is decided", () =>
    Effect.gen(function*() {
      const { a, b, decide, done, error } = yield* failing()
      const conflict = /does not wait for requirement/
      assert.strictEqual((yield* decide([], [{ ...a, confirmed: false }, { ...b, confirmed: false }])).status, 200)
      const stale = [{ ...a, confirmed: true }, { ...b, confirmed: true }]
      failed(yield* decide([error("f", "retry")], stale), 409, "CONFLICT", conflict)
      assert.strictEqual((yield* decide([error("f", "skip")])).status, 200)
      failed(yield* decide([error("f", "retry")]), 409, "CONFLICT", conflict)
      failed(yield* decide([error("f", "skip")]), 409, "CONFLICT", conflict)
      failed(yield* decide([error("f", "retry"), error("g", "retry")]), 409, "CONFLICT", conflict)
      assert.deepStrictEqual(done, [])
      const { json, text } = yield* decide([error("f", "skip"), error("g", "skip")])
      assert.strictEqual(at(json, "status"), "COMPLETED", text)
    }))

  it.effect("a stale decision on the last failed step is refused beside decisions on the steps that ask", () =>
    Effect.gen(function*() {
      const { a, b, decide, done, error } = yield* failing()
      assert.strictEqual((yield* decide([error("f", "skip"), error("g", "skip")])).status, 200)
      for (const steps of [[], [{ ...a, confirmed: true }], [{ ...a, confirmed: true }, { ...b, confirmed: true }]]) {
        const refused = yield* decide([error("f", "retry")], steps)
        failed(refused, 409, "CONFLICT", /does not wait for requirement '.*!0'/)
      }
      assert.deepStrictEqual(done, [])
    }))

  it.effect("a decision on the former failure does not count for the one after a repetition", () =>
    Effect.gen(function*() {
      const { a, decide, done, error } = yield* failing()
      assert.strictEqual((yield* decide([error("f", "retry")])).status, 200)
      assert.deepStrictEqual(done, ["f"])
      failed(yield* decide([error("f", "retry")], [{ ...a, confirmed: true }]), 409, "CONFLICT")
      assert.deepStrictEqual(done, ["f"])
    }))

  it.effect("decisions on what the run does not have, and two about one failed step, are refused", () =>
    Effect.gen(function*() {
      const { a, b, decide, done, error } = yield* failing()
      const invalid = [422, "VALIDATION_ERROR"] as const
      const yes = [{ ...a, confirmed: true }, { ...b, confirmed: true }]
      const other = { step_id: "nope", decision: "retry" }
      const unknown = { id: "9/9?0", step_id: "nope", confirmed: true }
      failed(yield* decide([error("f", "retry")], [unknown]), ...invalid, /decision about '9\/9\?0'/)
      failed(yield* decide([error("f", "retry"), other]), ...invalid, /decision about 'nope'/)
      failed(yield* decide([other], yes), ...invalid, /decision about 'nope'/)
      failed(yield* decide([error("f", "retry"), error("f", "skip")]), ...invalid, /step 'f' is decided twice/)
      failed(yield* decide([error("f", null)]), ...invalid, /unresolved error and step requirements/)
      assert.deepStrictEqual(done, [])
      const still = yield* decide([error("f", null), error("g", "skip")], yes)
      assert.strictEqual(at(still.json, "status"), "PAUSED", still.text)
      assert.deepStrictEqual(done.toSorted(), ["a", "b"])
      failed(yield* decide([error("f", "skip"), other]), ...invalid, /decision about 'nope'/)
    }))

  it.effect("a decision without an id does not count for the failure of the next iteration", () =>
    Effect.gen(function*() {
      const fails = Step.make({ name: "fails", onError: "pause", run: () => Effect.die(new Error("no")) })
      const steps = [Loop.make({ name: "loop", maxIterations: 2, steps: [fails] })]
      const server = yield* serve({ workflows: [Workflow.make({ id: "w", steps })] })
      const [failure] = list((yield* start(server, "w")).json, "error_requirements")
      const decide = (id: unknown) => {
        const decided = { step_id: at(failure, "step_id"), retry_count: 0, decision: "skip", id }
        return proceed(server, "w", { error_requirements: JSON.stringify([decided]) })
      }
      const next = yield* decide(undefined)
      failed(yield* decide(undefined), 422, "VALIDATION_ERROR", /step 'fails' has asked before/)
      failed(yield* decide(at(failure, "id")), 409, "CONFLICT")
      const ended = yield* decide(at(next.json, "error_requirements", 0, "id"))
      assert.strictEqual(at(ended.json, "status"), "COMPLETED", ended.text)
    }))
})
