// How runs of schedules end that do not complete, and what the scheduler may do in a closed service.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as RequestCounts from "@svc-runtime/test-support/RequestCounts"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber, Schema } from "effect"
import {
  agents,
  call,
  claims,
  closed,
  everything,
  seed,
  serveClosed,
  theIssuer,
  token
} from "../authorization/Closed.ts"
import { always, at, get, list, post, serve } from "../Wire.ts"
import { passing, until } from "./ScheduleTime.ts"

Tier.oneIn(2)

const yearly = { cron_expr: "0 0 1 1 *" }

const headers = { "content-type": "application/json" }

/** Sends a request, by which a schedule is made and triggered. */
type Send = (path: string, body: object) => Effect.Effect<{ readonly json: unknown; readonly text: string }>

const triggered = Effect.fnUntraced(function*(send: Send, name: string, request: object) {
  const made = yield* send("/schedules", { name, ...yearly, ...request })
  const id = String(at(made.json, "id"))
  const answer = yield* send(`/schedules/${id}/trigger`, {})
  return { id, run: answer.json as object }
})

/** The failed request of the failing agent is one of them. */
const requestCounts = (server: TestServer.TestServer) =>
  Effect.map(get(server, "/metrics/prometheus"), ({ text }) => RequestCounts.of(text))

const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })

const subjects = Effect.gen(function*() {
  const paying = yield* Script.make([[Script.toolCall("pay", {}, "call_1")], [Script.text("Done.")]])
  const failing = yield* always(Script.fail("The model is gone"))
  const hanging = yield* always(Script.text("A word"), Script.hang)
  return [
    Agent.make({ id: "payer", model: paying.model, tools: [pay] }),
    Agent.make({ id: "failing", model: failing.model }),
    Agent.make({ id: "hanging", model: hanging.model })
  ]
})

describe("outcomes of runs of schedules", () => {
  it.effect("runs that pause, fail, are cancelled or take too long end as the contract says", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* subjects })
      const send: Send = (path, body) => passing(post(server, path, body))
      const of = (agent: string, more: object = {}) => ({
        endpoint: `/agents/${agent}/runs`,
        payload: { message: "Go", session_id: agent },
        ...more
      })

      const paused = (yield* triggered(send, "paused", of("payer"))).run
      assert.deepInclude(paused, { status: "paused", error: null, attempt: 1, status_code: 200 })
      const [requirement] = list(paused, "requirements")
      assert.strictEqual(at(requirement, "tool_execution", "tool_name"), "pay")

      const broken = (yield* triggered(send, "broken", of("failing"))).run
      assert.deepInclude(broken, { status: "failed", requirements: null, status_code: 200 })
      const run = yield* get(server, `/agents/failing/runs/${String(at(broken, "run_id"))}?session_id=failing`)
      assert.strictEqual(at(run.json, "status"), "ERROR")
      assert.strictEqual(at(broken, "error"), at(run.json, "content"))

      const late = (yield* triggered(send, "late", of("hanging", { timeout_seconds: 5 }))).run
      const lateRun = String(at(late, "run_id"))
      assert.deepInclude(late, { status: "failed", error: `Polling timed out after 5s for run ${lateRun}` })
      const hanging = `/agents/hanging/runs/${lateRun}?session_id=hanging`
      assert.strictEqual(at((yield* get(server, hanging)).json, "status"), "CANCELLED")
      assert.deepInclude(yield* requestCounts(server), { "scripted error": 2 })

      const made = yield* post(server, "/schedules", { name: "cancelled", ...yearly, ...of("hanging") })
      const path = `/schedules/${String(at(made.json, "id"))}`
      const answer = yield* Effect.forkChild(post(server, `${path}/trigger`, {}))
      const [begun] = yield* until(server, path, ([first]) => typeof at(first, "run_id") === "string")
      const started = String(at(begun, "run_id"))
      yield* post(server, `/agents/hanging/runs/${started}/cancel`, {})
      const cancelled = (yield* passing(Fiber.join(answer))).json
      assert.deepInclude(cancelled as object, {
        status: "failed",
        run_id: started,
        error: `Run ${started} was cancelled`
      })
      // a cancelled request is no error
      assert.deepInclude(yield* requestCounts(server), { "scripted error": 2 })
    }))

  it.effect("a run of a workflow that waits has its failed steps and its questions", () =>
    Effect.gen(function*() {
      const fails = Step.make({ name: "fails", onError: "pause", run: () => Effect.die(new Error("no")) })
      const asks = Step.make({ name: "asks", confirmation: true, run: () => "asked" })
      const steps = [Parallel.make({ name: "both", steps: [fails, asks] })]
      const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps })] })
      const send: Send = (path, body) => passing(post(server, path, body))
      const request = { endpoint: "/workflows/flow/runs", payload: { message: "Go", session_id: "s" } }
      const { run } = yield* triggered(send, "paused", request)
      assert.deepStrictEqual(list(run, "requirements").map((each) => at(each, "step_name")), ["fails", "asks"])
    }))

  it.effect("the input of a workflow is shown whole, whatever its fields are called", () =>
    Effect.gen(function*() {
      const input = { input_content: "tea", cups: 2 }
      const brewing = Workflow.make({
        id: "brewing",
        inputSchema: Schema.Struct({ input_content: Schema.String, cups: Schema.Int }),
        steps: [() => "brewed"]
      })
      const server = yield* serve({ workflows: [brewing] })
      const { run } = yield* triggered((path, body) => passing(post(server, path, body)), "brewing", {
        endpoint: "/workflows/brewing/runs",
        payload: { message: JSON.stringify(input) }
      })
      assert.deepInclude(run, { status: "success", input: { input_content: input } })
    }))

  it.effect("in a closed service the scheduler replaces the user of a payload, and sees sessions of its own only", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bearer = yield* token("admin", "platform:admin")
      const send: Send = (path, body) =>
        passing(call(server, { path, init: { method: "POST", headers, body: JSON.stringify(body) } }, bearer))
      const ann = yield* token("ann", ...everything)
      const { session } = yield* seed(server, ann)
      const endpoint = "/agents/assistant/runs"
      const own = yield* triggered(send, "own", { endpoint, payload: { message: "Go", user_id: "ann" } })
      assert.deepInclude(own.run, { status: "success", error: null })
      const id = String(at(own.run, "session_id"))
      const shown = (credential: string) => call(server, { path: `/sessions/${id}?type=agent`, init: {} }, credential)
      assert.strictEqual(at((yield* shown(bearer)).json, "user_id"), "__scheduler__")
      assert.strictEqual((yield* shown(ann)).status, 404)
      const foreign = yield* triggered(send, "foreign", { endpoint, payload: { message: "Go", session_id: session } })
      assert.deepInclude(foreign.run, { status: "failed", status_code: 404 })
    }))

  it.live("in a closed service the scheduler writes schedules, and other requests are refused", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({
        agents: yield* agents,
        authorization: { ...yield* closed, internalToken: "internal" }
      })
      const { sign } = yield* theIssuer
      const bearer = yield* sign({ ...claims("admin", ["platform:admin"]), exp: 4_000_000_000 })
      const send: Send = (path, body) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}${path}`, {
            method: "POST",
            headers: { ...headers, authorization: `Bearer ${bearer}` },
            body: JSON.stringify(body)
          })
          const text = await response.text()
          return { text, json: JSON.parse(text) as unknown }
        })
      const other = yield* triggered(send, "other", { endpoint: "/sessions", method: "GET" })
      assert.deepInclude(other.run, { status: "failed", status_code: 403 })
      const payload = { name: "made", endpoint: "/health", ...yearly }
      const writing = yield* triggered(send, "writing", { endpoint: "/schedules", payload })
      assert.deepInclude(writing.run, { status: "success", status_code: 201, error: null })
    }))
})
