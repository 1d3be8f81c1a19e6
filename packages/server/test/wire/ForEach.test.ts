// Steps for each item of a list, over the wire: events, results, decisions, cancellation and stored workflows.
import { assert, describe, it } from "@effect/vitest"
import * as ForEach from "@svc-runtime/agents/workflow/define/ForEach"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { ask, at, frames, get, kindsOf, list, serve } from "../Wire.ts"
import { post, proceed, resolved, start } from "./Flows.ts"

const words = Step.make({ name: "words", effects: "read", run: ({ input }) => String(input).split(" ") })

const fits = (schema: Schema.ConstraintDecoder<unknown>, json: unknown) => {
  const decoded = Schema.decodeUnknownResult(schema, { onExcessProperty: "error", errors: "all" })(json)
  assert.strictEqual(decoded._tag, "Success", decoded._tag === "Failure" ? String(decoded.failure) : "")
}

describe("a step for each item", () => {
  it.effect("the stream, the run and the workflow fit their schemas, and each item has a run of its agent", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make(Array.from({ length: 3 }, () => [Script.text("Hi.")]))
      const greeter = Agent.make({ id: "greeter", model })
      const each = ForEach.make({ name: "each", concurrency: 1, steps: [greeter] })
      const server = yield* serve({ workflows: [Workflow.make({ id: "greet", steps: [words, each] })] })
      const events = frames((yield* start(server, "greet", { message: "a b c", stream: "true" })).text)
      for (const { data } of events) fits(RunEvent.RunEvent, data)
      assert.strictEqual(kindsOf(events).filter((kind) => kind === "RunCompleted").length, 3)
      const { json } = yield* get(server, "/workflows/greet/runs/r?session_id=s")
      fits(WorkflowRun.Output, json)
      assert.deepStrictEqual(at(json, "content"), ["Hi.", "Hi.", "Hi."])
      assert.lengthOf(list(json, "step_executor_runs"), 3)
      const detail = yield* get(server, "/workflows/greet")
      assert.deepStrictEqual([at(detail.json, "steps", 1, "type"), at(detail.json, "steps", 1, "steps", 0, "name")], [
        "ForEach",
        "greeter"
      ])
    }))

  it.effect("items that wait together are decided one after the other, and a rejected one has no result", () =>
    Effect.gen(function*() {
      const send = Step.make({ name: "send", confirmation: true, run: ({ input }) => `${String(input)} sent` })
      const each = ForEach.make({ name: "each", steps: [send] })
      const server = yield* serve({ workflows: [Workflow.make({ id: "mail", steps: [words, each] })] })
      const first = yield* start(server, "mail", { message: "a b" })
      assert.strictEqual(at(first.json, "status"), "PAUSED")
      const one = { step_requirements: resolved(first.json, { confirmed: true }) }
      const second = yield* proceed(server, "mail", one)
      assert.strictEqual(at(second.json, "status"), "PAUSED", second.text)
      const done = yield* proceed(server, "mail", { step_requirements: resolved(second.json, { confirmed: false }) })
      assert.deepStrictEqual([at(done.json, "status"), at(done.json, "content")], ["COMPLETED", ["a sent", null]])
    }))

  it.effect("a run that is cancelled ends, and starts no other items", () =>
    Effect.gen(function*() {
      const began = yield* Deferred.make<void>()
      let count = 0
      const hang = Step.make({
        name: "hang",
        run: () => {
          count++
          return Effect.andThen(Deferred.succeed(began, undefined), Effect.never)
        }
      })
      const each = ForEach.make({ name: "each", concurrency: 1, steps: [hang] })
      const server = yield* serve({ workflows: [Workflow.make({ id: "hanging", steps: [words, each] })] })
      const running = yield* Effect.forkChild(start(server, "hanging", { message: "a b c" }))
      yield* Deferred.await(began)
      yield* ask(server, "/workflows/hanging/runs/r/cancel", { method: "POST" })
      const { json } = yield* Fiber.join(running)
      assert.deepStrictEqual<unknown>([at(json, "status"), count], ["CANCELLED", 1])
    }))

  it.effect("a stored workflow has it, with a function of the registry for the items", () =>
    Effect.gen(function*() {
      const functions = {
        words: ({ input }: { readonly input: unknown }) => String(input).split(" "),
        shout: ({ input }: { readonly input: unknown }) => `${String(input)}!`
      }
      const server = yield* serve({ registry: { functions } })
      const each = {
        type: "ForEach",
        name: "each",
        items: "words",
        concurrency: 2,
        steps: [{ name: "s", function: "shout" }]
      }
      const create = (step: object) =>
        ask(server, "/workflows", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ name: "Flow", steps: [step] })
        })
      assert.strictEqual((yield* create({ ...each, max_items: 10_001 })).status, 422)
      const made = yield* create(each)
      assert.strictEqual(made.status, 201, made.text)
      const { json } = yield* post(server, "/workflows/flow/runs", { message: "a b", stream: "false" })
      assert.deepStrictEqual(at(json, "content"), ["a!", "b!"])
    }))
})
