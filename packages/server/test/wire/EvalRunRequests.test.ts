// Requests about evaluation runs: what is refused, and what is listed, renamed and deleted.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, badRequest, column, failed, get, invalid, list, notFound, send } from "../Wire.ts"
import { accuracy, evaluate, saying, serving } from "./Evaluations.ts"

describe("a request for an evaluation", () => {
  it.live("a request that is invalid is refused with the text of the contract", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")])
      const refuse = (body: object) => evaluate(server, { ...accuracy, ...body })
      badRequest(yield* refuse({ team_id: "desk" }), "Only one of agent_id or team_id must be provided")
      badRequest(yield* refuse({ agent_id: null }), "One of agent_id or team_id must be provided")
      notFound(yield* refuse({ agent_id: "unknown" }), "Agent with id 'unknown' not found")
      notFound(yield* refuse({ agent_id: null, team_id: "unknown" }), "Team with id 'unknown' not found")
      badRequest(yield* refuse({ expected_output: null }), "expected_output is required for accuracy evaluation")
      const judged = { eval_type: "agent_as_judge" }
      badRequest(yield* refuse(judged), "criteria is required for agent-as-judge evaluation")
      const reliability = { eval_type: "reliability" }
      badRequest(yield* refuse(reliability), "expected_tool_calls is required for reliability evaluations")
      badRequest(yield* refuse({ model_provider: "Unknown", model_id: "M" }), /Unknown model provider 'unknown'/)
      for (
        const body of [{ input: "" }, { num_iterations: 101 }, { threshold: 0 }, { eval_type: "x" }, {
          warmup_runs: 11
        }]
      ) {
        assert.strictEqual((yield* refuse(body)).status, 422, JSON.stringify(body))
      }
      const long = "m".repeat(257)
      invalid(yield* refuse({ model_id: long }), [["body", "model_id"], "string_too_long"])
      invalid(yield* refuse({ model_provider: long }), [["body", "model_provider"], "string_too_long"])
      for (const path of ["/eval-runs", "/metrics/usage"]) {
        invalid(yield* get(server, `${path}?model_id=${long}`), [["query", "model_id"], "string_too_long"])
      }
      invalid(yield* refuse({ input: "" }), [["body", "input"], "string_too_short"])
      for (const field of ["additional_guidelines", "additional_context", "criteria"]) {
        const answer = yield* refuse({ [field]: "€".repeat(21_846) })
        invalid(answer, [["body", field], "string_too_long"])
        assert.include(answer.text, "at most 65536 bytes")
        assert.notStrictEqual((yield* refuse({ [field]: "€".repeat(21_845) })).status, 422)
      }
      for (const name of ["a\0b", "a\ud800b"]) {
        invalid(yield* refuse({ name }), [["body", "name"], "string_unicode"])
        invalid(yield* send(server, "PATCH", "/eval-runs/zz", { name }), [["body", "name"], "string_unicode"])
      }
      notFound(yield* evaluate(server, accuracy, "?db_id=zz"), "No database found with id 'zz'")
      badRequest(
        yield* evaluate(server, accuracy, "?table=t"),
        "The db_id query parameter is required when passing a table"
      )
    }))

  it.live("evaluation runs are listed, renamed and deleted", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")])
      const first = yield* evaluate(server, accuracy)
      yield* evaluate(server, { eval_type: "agent_as_judge", criteria: "x" })
      const found = (query: string) =>
        Effect.map(get(server, `/eval-runs?${query}`), ({ json }) => column(list(json, "data"), "eval_type"))
      assert.deepStrictEqual(yield* found(""), ["agent_as_judge", "accuracy"])
      assert.deepStrictEqual(yield* found("sort_order=asc"), ["accuracy", "agent_as_judge"])
      assert.deepStrictEqual(yield* found("agent_id=assistant"), ["accuracy"])
      assert.deepStrictEqual(yield* found("type=team"), [])
      assert.deepStrictEqual(yield* found("eval_types=accuracy,performance"), ["accuracy"])
      assert.deepStrictEqual(yield* found("model_id=demo"), ["agent_as_judge"])
      const past = yield* get(server, "/eval-runs?page=9&limit=1")
      assert.deepInclude(at(past.json, "meta"), { total_count: 2, total_pages: 2 })
      failed(
        yield* get(server, "/eval-runs?eval_types=x"),
        422,
        "VALIDATION_ERROR",
        "Invalid eval_type: 'x' is not a valid EvalType. Valid types: accuracy, agent_as_judge, performance, reliability"
      )
      const id = String(at(first.json, "id"))
      const renamed = yield* send(server, "PATCH", `/eval-runs/${id}`, { name: "again" })
      assert.strictEqual(at(renamed.json, "name"), "again")
      assert.strictEqual((yield* send(server, "PATCH", `/eval-runs/${id}`, { name: "" })).status, 422)
      notFound(yield* send(server, "PATCH", "/eval-runs/zz", { name: "x" }), "Eval run with id 'zz' not found")
      const removed = yield* send(server, "DELETE", "/eval-runs", { eval_run_ids: [id, "zz"] })
      assert.strictEqual(removed.status, 204)
      notFound(yield* get(server, `/eval-runs/${id}`), `Eval run with id '${id}' not found`)
      assert.strictEqual((yield* send(server, "DELETE", "/eval-runs", { eval_run_ids: [] })).status, 422)
      notFound(yield* get(server, "/eval-runs/x?db_id=zz"), "No database found with id 'zz'")
    }))
})
