// Where factories of workflows differ: they are called with `factory_input` whenever a run is continued or read,
// and what they make may name what is registered.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import type { FactoryContext } from "@svc-runtime/agents/factory/FactoryContext"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, badRequest, failed, type Fields, frames, get, kindsOf, list, notFound, serve } from "../Wire.ts"
import { Tenant, tenant } from "./Factories.ts"
import { proceed, resolved, start } from "./Flows.ts"

Tier.oneIn(8)

/** A factory whose workflow asks before it does something for its tenant. */
const started = Effect.fnUntraced(
  function*(
    admits: (context: FactoryContext<typeof Tenant.Type>) => boolean = () => true,
    continueInput?: "none" | "stored"
  ) {
    const seen: Array<FactoryContext<typeof Tenant.Type>> = []
    const open = new Set<number>()
    const factory = WorkflowFactory.make({
      id: "made",
      inputSchema: Tenant,
      continueInput,
      build: (context) => {
        const time = seen.push(context)
        open.add(time)
        context.onClose(() => void open.delete(time))
        if (!admits(context)) throw new FactoryPermissionError({ message: "Not for you" })
        const agreed = () => `agreed for ${context.input?.tenant}`
        return Workflow.make({
          id: "made",
          steps: [
            Step.make({ name: "first", run: () => `did for ${context.input?.tenant}` }),
            Step.make({ name: "asked", confirmation: { message: "Sure?" }, run: agreed })
          ]
        })
      }
    })
    const server = yield* serve({ workflows: [factory] })
    const closed = Effect.repeat(Effect.yieldNow, { until: () => open.size === 0 })
    return { closed, seen, server, begin: start(server, "made", tenant("acme")) }
  }
)

const agreed = (run: unknown) => ({ step_requirements: resolved(run, { confirmed: true }) })

describe("POST /workflows/{id}/runs/{run_id}/continue on a factory", () => {
  it.effect("the workflow is made again from the form's factory_input", () =>
    Effect.gen(function*() {
      const { begin, closed, seen, server } = yield* started()
      const paused = yield* begin
      assert.strictEqual(at(paused.json, "status"), "PAUSED")
      yield* closed
      const answer = yield* proceed(server, "made", { ...agreed(paused.json), user_id: "ann", ...tenant("acme") })
      assert.deepInclude(answer.json, { status: "COMPLETED", content: "agreed for acme", run_id: "r" })
      assert.deepStrictEqual(list(answer.json, "step_results").map((each) => at(each, "content")), [
        "did for acme",
        "agreed for acme"
      ])
      assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "acme" }, { tenant: "acme" }])
      assert.deepInclude(seen[1], { sessionId: "s", userId: "ann" as never })
      assert.strictEqual(seen[1]?.request?.url, "/workflows/made/runs/r/continue")
      yield* closed
    }))

  it.effect("the workflow is made again without input if the form has none", () =>
    Effect.gen(function*() {
      const { begin, seen, server } = yield* started()
      const answer = yield* proceed(server, "made", agreed((yield* begin).json))
      assert.deepInclude(answer.json, { status: "COMPLETED", content: "agreed for undefined" })
      assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "acme" }, null])
    }))

  it.effect("the workflow is made again with the input of the run's start, if the form has none and its author wants it", () =>
    Effect.gen(function*() {
      const { begin, seen, server } = yield* started(undefined, "stored")
      const answer = yield* proceed(server, "made", agreed((yield* begin).json))
      assert.deepInclude(answer.json, { status: "COMPLETED", content: "agreed for acme" })
      assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "acme" }, { tenant: "acme" }])
    }))

  it.effect("a decision is refused for another input than that of the run, before the factory runs", () =>
    Effect.gen(function*() {
      const { begin, seen, server } = yield* started()
      const { json } = yield* begin
      const refused = yield* proceed(server, "made", { ...agreed(json), ...tenant("victim") })
      failed(refused, 409, "CONFLICT", /factory_input is not that with which the run started/)
      assert.strictEqual(seen.length, 1)
      const answer = yield* proceed(server, "made", { ...agreed(json), ...tenant("acme") })
      assert.deepInclude(answer.json, { status: "COMPLETED", content: "agreed for acme" })
    }))

  it.effect("the continuation is streamed", () =>
    Effect.gen(function*() {
      const { begin, server } = yield* started()
      const { json } = yield* begin
      const answer = yield* proceed(server, "made", { ...agreed(json), stream: "true", ...tenant("acme") })
      const kinds = kindsOf(frames(answer.text))
      assert.strictEqual(kinds.at(-1), "WorkflowCompleted")
      assert.notInclude(kinds, "WorkflowStarted")
    }))

  const refused: ReadonlyArray<readonly [string, Fields, RegExp]> = [
    ["a value of the wrong type", { factory_input: `{"tenant":5}` }, /^factory_input validation failed: tenant: /],
    ["no JSON", { factory_input: "{" }, /^factory_input must be valid JSON$/],
    ["no object", { factory_input: "[]" }, /^factory_input must be a JSON object, got array$/]
  ]
  for (const [what, input, detail] of refused) {
    it.effect(`an invalid factory_input is refused before the factory runs, and leaves the run as it is: ${what}`, () =>
      Effect.gen(function*() {
        const { begin, seen, server } = yield* started()
        const { json } = yield* begin
        for (const stream of ["false", "true"]) {
          badRequest(yield* proceed(server, "made", { ...agreed(json), stream, ...input }), detail)
        }
        assert.strictEqual(seen.length, 1)
        const after = yield* get(server, `/workflows/made/runs/r?session_id=s&${new URLSearchParams(tenant("acme"))}`)
        assert.strictEqual(at(after.json, "status"), "PAUSED")
      }))
  }

  it.effect("a run whose factory refuses stays as it is, its lifetime closes, and its key can be used again", () =>
    Effect.gen(function*() {
      let isAdmitted = true
      const { begin, closed, server } = yield* started(() => isAdmitted)
      const { json } = yield* begin
      const fields = { ...agreed(json), ...tenant("acme") }
      const key = { "idempotency-key": "k" }
      isAdmitted = false
      failed(yield* proceed(server, "made", fields, key), 403, "FORBIDDEN", "Not for you")
      yield* closed
      isAdmitted = true
      const answer = yield* proceed(server, "made", fields, key)
      assert.deepInclude(answer.json, { status: "COMPLETED", content: "agreed for acme" })
    }))

  it.effect("the lifetime closes for a run that is not continued", () =>
    Effect.gen(function*() {
      const { begin, closed, server } = yield* started()
      const { json } = yield* begin
      const fields = { ...agreed(json), ...tenant("acme") }
      yield* proceed(server, "made", fields)
      failed(yield* proceed(server, "made", fields), 409, "CONFLICT", "run is already completed")
      notFound(yield* proceed(server, "made", { ...fields, session_id: "other" }), "Run not found")
      yield* closed
    }))
})

describe("GET /workflows/{id}/runs on a factory", () => {
  const paths = ["/workflows/made/runs/r", "/workflows/made/runs"]

  it.effect("the factory gets the query's factory_input, and its lifetime closes", () =>
    Effect.gen(function*() {
      const { begin, closed, seen, server } = yield* started()
      yield* begin
      const query = new URLSearchParams({ session_id: "s", ...tenant("acme") })
      const one = yield* get(server, `${paths[0]}?${query}`)
      assert.strictEqual(at(one.json, "run_id"), "r")
      const all = yield* get(server, `${paths[1]}?${query}`)
      assert.deepStrictEqual(list(all.json).map((each) => at(each, "run_id")), ["r"])
      assert.deepStrictEqual(seen.map(({ input, sessionId }) => [input, sessionId]), [
        [{ tenant: "acme" }, "s"],
        [{ tenant: "acme" }, "s"],
        [{ tenant: "acme" }, "s"]
      ])
      yield* closed
    }))

  it.effect("a query is refused where its input does not fit, or the factory refuses the caller", () =>
    Effect.gen(function*() {
      let isAdmitted = true
      const { begin, seen, server } = yield* started(() => isAdmitted)
      yield* begin
      for (const path of paths) {
        for (const input of ["", "&factory_input=5", "&factory_input={}", "&factory_input=not%20json"]) {
          badRequest(yield* get(server, `${path}?session_id=s${input}`), /^factory_input /)
        }
      }
      assert.strictEqual(seen.length, 1)
      isAdmitted = false
      for (const path of paths) {
        const answer = yield* get(server, `${path}?${new URLSearchParams({ session_id: "s", ...tenant("acme") })}`)
        failed(answer, 403, "FORBIDDEN", "Not for you")
      }
    }))

  it.effect("a query with any factory_input is accepted where there is no factory", () =>
    Effect.gen(function*() {
      const ready = Workflow.make({ id: "ready", run: () => "done" })
      const server = yield* serve({ workflows: [ready] })
      yield* start(server, "ready", { factory_input: "not json" })
      const answer = yield* get(server, "/workflows/ready/runs/r?session_id=s&factory_input=not%20json")
      assert.strictEqual(at(answer.json, "content"), "done")
    }))
})

describe("what a factory makes", () => {
  const naming = Effect.fnUntraced(function*(workflow: () => unknown) {
    const { model } = yield* Script.make(Array.from({ length: 5 }, () => [Script.text("Hello.")]))
    return yield* serve({
      agents: [
        Agent.make({ id: "ready", name: "Ready", model }),
        AgentFactory.make({ id: "later", build: () => Agent.make({ id: "later", model }) })
      ],
      workflows: [
        WorkflowFactory.make({ id: "made", build: () => workflow() as never }),
        Workflow.make({ id: "inner", steps: [Step.make({ name: "ask", agent: "ready" })] })
      ]
    })
  })

  it.effect("a made workflow can name registered agents and workflows", () =>
    Effect.gen(function*() {
      const server = yield* naming(() =>
        Workflow.make({
          id: "made",
          steps: [Step.make({ name: "a", agent: "ready" }), Step.make({ name: "b", workflow: "inner" })]
        })
      )
      const { json } = yield* start(server, "made")
      assert.deepInclude(json, { status: "COMPLETED", content: "Hello." })
      assert.strictEqual(list(json, "step_executor_runs").length, 2)
    }))

  const wrong: ReadonlyArray<readonly [string, ReturnType<typeof Step.make>, RegExp]> = [
    ["nothing that is there", Step.make({ name: "a", agent: "unknown" }), /There is no agent 'unknown'.*step 'a'/],
    ["what a factory makes", Step.make({ name: "a", agent: "later" }), /'later' is made by a factory.*step 'a'/],
    ["itself", Step.make({ name: "a", workflow: "made" }), /'made' is made by a factory.*step 'a'/]
  ]
  for (const [what, step, problem] of wrong) {
    it.effect(`a workflow whose step names ${what} is a FactoryError, and only the log says which`, () =>
      Effect.gen(function*() {
        const server = yield* naming(() => Workflow.make({ id: "made", steps: [step as never] }))
        const answer = yield* start(server, "made")
        failed(answer, 500, "INTERNAL_SERVER_ERROR", /gave a workflow that names what is not there/)
        assert.match(server.logs.map(({ cause }) => cause).join("\n"), problem)
        assert.notInclude(answer.text, "unknown")
      }))
  }
})
