// Evaluation runs on the wire: the four types, in the response and as they are stored.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { always, at, column, get, hasKeys, list } from "../Wire.ts"
import { accuracy, evaluate, keys, read, saying, serving, weather } from "./Evaluations.ts"

Tier.oneIn(10)

const rfc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

describe("an evaluation of accuracy", () => {
  it.live("each run is judged, and the stored form has the input and the times", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("It is Paris")])
      const answer = yield* evaluate(server, { ...accuracy, num_iterations: 2, name: "capitals" })
      assert.strictEqual(answer.status, 200, answer.text)
      hasKeys(answer.json, ...keys)
      const id = String(at(answer.json, "id"))
      const input = "What is the capital of France?"
      const reason = "The demo model compares words only: the answer has 100 % of the wanted ones."
      const result = { input, expected_output: "Paris", output: "It is Paris", score: 10, reason }
      assert.deepStrictEqual(at(answer.json, "eval_data"), {
        judge_metrics: { input_tokens: 508, output_tokens: 50, total_tokens: 558 },
        results: [result, result],
        avg_score: 10,
        mean_score: 10,
        min_score: 10,
        max_score: 10,
        std_dev_score: 0
      })
      const fields = {
        agent_id: "assistant",
        team_id: null,
        workflow_id: null,
        model_id: "scripted",
        model_provider: "Scripted",
        name: "capitals",
        evaluated_component_name: "Assistant",
        eval_type: "accuracy"
      }
      for (const [name, value] of Object.entries(fields)) assert.strictEqual(at(answer.json, name), value, name)
      for (const name of ["eval_input", "created_at", "updated_at"]) assert.isNull(at(answer.json, name))

      const stored = yield* read(server, answer)
      hasKeys(stored, ...keys)
      assert.deepStrictEqual(at(stored, "eval_data"), at(answer.json, "eval_data"))
      assert.deepStrictEqual(at(stored, "eval_input"), {
        additional_guidelines: null,
        additional_context: null,
        num_iterations: 2,
        expected_output: "Paris",
        input
      })
      assert.match(String(at(stored, "created_at")), rfc)
      assert.strictEqual(at(stored, "updated_at"), at(stored, "created_at"))

      const sessions = (yield* get(server, "/sessions?type=agent")).json
      assert.sameMembers(column(list(sessions, "data"), "session_id") as Array<string>, [
        `eval_${id}_1`,
        `eval_${id}_2`
      ])
    }))

  it.live("runs that fail leave results without a score, and figures that are null", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.fail("down"))
      const server = yield* serving([Agent.make({ id: "assistant", model })])
      const answer = yield* evaluate(server, accuracy)
      assert.strictEqual(answer.status, 200, answer.text)
      const data = at(answer.json, "eval_data")
      for (const name of ["avg_score", "mean_score", "min_score", "max_score", "std_dev_score"]) {
        assert.isNull(at(data, name), name)
      }
      assert.isNull(at(data, "results", 0, "score"))
      assert.match(String(at(data, "results", 0, "reason")), /^The run failed: /)
    }))

  it.live("a run that pauses has no score, and is cancelled", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.toolCall("weather", { city: "Oslo" }))
      const asking = { ...weather, requiresConfirmation: true }
      const server = yield* serving([Agent.make({ id: "assistant", model, tools: [asking] })])
      const answer = yield* evaluate(server, accuracy)
      assert.match(String(at(answer.json, "eval_data", "results", 0, "reason")), /^The run paused/)
      assert.strictEqual(at(answer.json, "eval_data", "results", 0, "output"), "")
      const runs = yield* get(server, `/sessions/eval_${String(at(answer.json, "id"))}_1/runs`)
      assert.deepStrictEqual(column(runs.json, "status"), ["CANCELLED"])
    }))

  it.live("a judge that answers outside its schema is asked once more", () =>
    Effect.gen(function*() {
      const verdict = Script.text(JSON.stringify({ score: 4, reason: "So so" }))
      const tries = [
        { answers: [Script.text("Great!"), verdict], score: 4 },
        { answers: [Script.text("Great!"), Script.text(JSON.stringify({ score: 11, reason: "x" }))], score: null }
      ]
      for (const { answers, score } of tries) {
        const judge = yield* Script.make(answers.map((text) => [text]))
        const server = yield* serving([Agent.make({ id: "assistant", model: judge.model })])
        // another model answers, so the agent's own one judges
        const override = { model_provider: "DEMO", model_id: "Demo" }
        const answer = yield* evaluate(server, { ...accuracy, ...override })
        assert.strictEqual(at(answer.json, "eval_data", "results", 0, "score"), score, answer.text)
        assert.strictEqual(at(answer.json, "model_id"), "demo")
        assert.strictEqual(yield* judge.remaining, 0)
      }
    }))

  it.live("a judge that hangs is given up after its time limit", () =>
    Effect.gen(function*() {
      const judge = yield* always(Script.hang)
      const server = yield* serving([Agent.make({ id: "assistant", model: judge.model })], {
        evaluations: { judgeSeconds: 0.01 }
      })
      const answer = yield* evaluate(server, { ...accuracy, model_provider: "demo", model_id: "demo" })
      assert.isNull(at(answer.json, "eval_data", "results", 0, "score"))
      assert.include(String(at(answer.json, "eval_data", "results", 0, "reason")), "EVALUATION_JUDGE_TIMEOUT")
    }))

  it.live("a judge whose code throws gives no verdict, and the log has the cause", () =>
    Effect.gen(function*() {
      const judge = yield* always(Script.wait(Effect.die(new Error("A bug of the judge"))))
      const server = yield* serving([Agent.make({ id: "assistant", model: judge.model })])
      const answer = yield* evaluate(server, { ...accuracy, model_provider: "demo", model_id: "demo" })
      assert.isNull(at(answer.json, "eval_data", "results", 0, "score"), answer.text)
      assert.include(String(at(answer.json, "eval_data", "results", 0, "reason")), "The log has the cause")
      assert.isTrue(server.logs.some(({ cause }) => cause.includes("A bug of the judge")))
    }))

  it.live("a run that takes too long is cancelled, and has no score", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.hang)
      const server = yield* serving([Agent.make({ id: "assistant", model })], { evaluations: { runSeconds: 0.05 } })
      const answer = yield* evaluate(server, accuracy)
      assert.include(String(at(answer.json, "eval_data", "results", 0, "reason")), "EVALUATION_RUN_TIMEOUT")
    }))
})

describe("an evaluation by a judge", () => {
  it.live("an answer passes that meets the criteria", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("It is Paris")])
      const answer = yield* evaluate(server, { eval_type: "agent_as_judge", criteria: "Paris" })
      assert.strictEqual(answer.status, 200, answer.text)
      const data = at(answer.json, "eval_data")
      assert.strictEqual(at(data, "pass_rate"), 100)
      assert.deepInclude(at(data, "results", 0), {
        passed: true,
        score: null,
        criteria: "Paris",
        output: "It is Paris"
      })
      for (const name of ["avg_score", "min_score", "max_score", "std_dev_score"]) assert.isNull(at(data, name), name)
      assert.strictEqual(at(answer.json, "agent_id"), "assistant")
      // the model is that of the judge
      assert.strictEqual(at(answer.json, "model_id"), "demo")
      const stored = yield* read(server, answer)
      assert.isNull(at(stored, "agent_id"))
      assert.isNull(at(stored, "evaluated_component_name"))
      assert.deepStrictEqual(at(stored, "eval_input"), {
        criteria: "Paris",
        scoring_strategy: "binary",
        threshold: null,
        additional_guidelines: null
      })
      const run = yield* get(server, `/sessions/eval_${String(at(answer.json, "id"))}_1/runs`)
      assert.strictEqual(at(run.json, 0, "run_id"), at(data, "run_id"))
    }))

  it.live("a numeric score passes from the threshold on", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")])
      const body = { eval_type: "agent_as_judge", criteria: "Paris France", scoring_strategy: "numeric" }
      for (const [threshold, passed] of [[6, true], [7, false]] as const) {
        const answer = yield* evaluate(server, { ...body, threshold })
        const data = at(answer.json, "eval_data")
        // half of the words: 1 + round(4.5)
        assert.strictEqual(at(data, "avg_score"), 6, answer.text)
        assert.strictEqual(at(data, "results", 0, "passed"), passed)
        assert.strictEqual(at(data, "pass_rate"), passed ? 100 : 0)
        assert.strictEqual(at(yield* read(server, answer), "eval_input", "threshold"), threshold)
      }
    }))

  it.live("the response about a failed evaluation has the id of its request", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.fail("down"))
      const server = yield* TestServer.listen({ agents: [Agent.make({ id: "assistant", model })] })
      const body = { agent_id: "assistant", eval_type: "agent_as_judge", input: "Hello", criteria: "x" }
      const headers = { "content-type": "application/json", "x-request-id": "the-request" }
      const answer = yield* Effect.promise(() =>
        fetch(`${server.url}/eval-runs`, { method: "POST", headers, body: JSON.stringify(body) })
      )
      assert.strictEqual(answer.status, 500)
      assert.strictEqual(at(yield* Effect.promise(() => answer.json()), "request_id"), "the-request")
    }))

  it.live("the failure of an evaluation is logged once, as a warning with the id of the request that waits for it", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.fail("down"))
      const server = yield* TestServer.listen({ agents: [Agent.make({ id: "assistant", model })] })
      const body = { agent_id: "assistant", eval_type: "agent_as_judge", input: "Hello", criteria: "x" }
      const headers = { "content-type": "application/json", "x-request-id": "the-request" }
      yield* Effect.promise(() =>
        fetch(`${server.url}/eval-runs`, { method: "POST", headers, body: JSON.stringify(body) })
      )
      const lines = server.logs.filter(({ annotations, level }) =>
        annotations["eval_run_id"] !== undefined && annotations["run_id"] === undefined && level !== "DEBUG"
      )
      assert.deepStrictEqual(lines.map(({ level, message }) => [level, message.split(" The run failed")[0]]), [
        ["WARN", "An evaluation failed"]
      ])
      assert.strictEqual(lines[0]?.annotations["request_id"], "the-request")
      assert.isFalse(server.logs.some(({ level }) => level === "ERROR"))
    }))

  it.live("a run that fails fails the evaluation, which is stored with the reason", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.fail("down"))
      const server = yield* serving([Agent.make({ id: "assistant", model })])
      const answer = yield* evaluate(server, { eval_type: "agent_as_judge", criteria: "x" })
      assert.deepStrictEqual(list((yield* get(server, "/eval-runs")).json, "data"), [])
      const kept = list((yield* get(server, "/eval-runs?status=FAILED")).json, "data")
      assert.match(String(at(kept, 0, "error")), /^The run failed/)
      assert.strictEqual(answer.status, 500)
      hasKeys(answer.json, "detail", "error_code", "request_id", "eval_run_id", "error")
      const { error, id: eval_run_id } = kept[0] as Record<string, unknown>
      const expected = { detail: "Failed to run agent-as-judge evaluation", error_code: "INTERNAL_SERVER_ERROR" }
      assert.deepInclude(answer.json as object, { ...expected, eval_run_id, error })
    }))
})

describe("an evaluation of performance", () => {
  it.live("warm-ups do not count, and the response is flat", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")])
      const answer = yield* evaluate(server, { eval_type: "performance", num_iterations: 3, warmup_runs: 1 })
      assert.strictEqual(answer.status, 200, answer.text)
      const statistics = ["run_time", "memory_usage"].flatMap((name) =>
        ["avg", "min", "max", "std_dev", "median", "p95"].map((figure) => `${figure}_${name}`)
      )
      hasKeys(at(answer.json, "eval_data"), "run_times", "memory_usages", ...statistics)
      const times = list(answer.json, "eval_data", "run_times") as ReadonlyArray<number>
      assert.strictEqual(times.length, 3)
      assert.isTrue(times.every((time) => time > 0))
      assert.strictEqual(list(answer.json, "eval_data", "memory_usages").length, 3)
      assert.strictEqual(at(answer.json, "eval_data", "min_run_time"), Math.min(...times))
      const stored = yield* read(server, answer)
      hasKeys(at(stored, "eval_data", "result"), ...statistics)
      assert.deepStrictEqual(column(at(stored, "eval_data", "runs"), "runtime"), times)
      assert.deepStrictEqual(at(stored, "eval_input"), { num_iterations: 3, warmup_runs: 1 })
      assert.strictEqual(at(stored, "runs_done"), 7)
    }))
})

describe("an evaluation of reliability", () => {
  it.live("the tools of all members of a team count", () =>
    Effect.gen(function*() {
      const inner = yield* Script.make([[Script.toolCall("weather", { city: "Oslo" })], [Script.text("Sunny")]])
      const member = Agent.make({ id: "member", model: inner.model, tools: [weather] })
      const leader = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "member", task: "weather" })],
        [Script.text("Done")]
      ])
      const server = yield* serving([], {
        teams: [Team.make({ id: "desk", model: leader.model, members: [member] })]
      })
      const answer = yield* evaluate(server, {
        agent_id: null,
        team_id: "desk",
        eval_type: "reliability",
        expected_tool_calls: ["weather"],
        allow_additional_tool_calls: true,
        expected_tool_call_arguments: { weather: { city: "Oslo" } }
      })
      assert.deepStrictEqual(at(answer.json, "eval_data"), {
        eval_status: "PASSED",
        failed_tool_calls: [],
        passed_tool_calls: ["weather"],
        additional_tool_calls: ["delegate_task_to_member"],
        missing_tool_calls: [],
        failed_argument_checks: [],
        passed_argument_checks: ["weather"]
      }, answer.text)
    }))

  it.live("an empty list of expected calls is allowed, and an unexpected call fails", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.toolCall("weather", { city: "Oslo" })], [Script.text("Sunny")]])
      const server = yield* serving([Agent.make({ id: "assistant", model, tools: [weather] })])
      const answer = yield* evaluate(server, { eval_type: "reliability", expected_tool_calls: [] })
      assert.strictEqual(at(answer.json, "eval_data", "eval_status"), "FAILED", answer.text)
      assert.deepStrictEqual(at(answer.json, "eval_data", "failed_tool_calls"), ["weather"])
    }))
})
