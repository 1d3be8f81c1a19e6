// Experiments on the wire: progress, results, cancelling, what is resumed, and who sees what.
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as JudgeScorer from "@svc-runtime/domain/scoring/JudgeScorer"
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { call, everything, serveClosed, token } from "../authorization/Closed.ts"
import { at, badRequest, column, failed, get, hasKeys, invalid, notFound, post, send } from "../Wire.ts"
import { saying, serving, slow } from "./Evaluations.ts"
import { begin, cancelled, datasetOf, exact, items, itemsOf, pathOf, settled } from "./ExperimentRequests.ts"

Tier.oneIn(10)

describe("an experiment", () => {
  it.live("an experiment is accepted with 202, and has the result of each item and a summary when it is completed", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")])
      const dataset = yield* datasetOf(server)
      const scorers = [{ type: "exact" }, { type: "judge", criteria: "Paris" }]
      const accepted = yield* begin(server, dataset, { agent_id: "assistant", name: "first", scorers, concurrency: 2 })
      hasKeys(
        accepted.json,
        "id",
        "name",
        "user_id",
        "dataset_id",
        "dataset_version",
        "agent_id",
        "team_id",
        "workflow_id",
        "component_version",
        "scorers",
        "concurrency",
        "status",
        "items_done",
        "items_total",
        "error",
        "summary",
        "created_at",
        "updated_at"
      )
      assert.deepInclude(accepted.json as object, {
        status: "PENDING",
        items_total: 3,
        dataset_version: 2,
        summary: null
      })
      const completed = yield* settled(server, accepted)
      assert.deepInclude(completed as object, { items_done: 3, items_total: 3, error: null })
      assert.deepInclude(at(completed, "summary") as object, { passed: 1, failed: 2, errors: 0, pass_rate: 1 / 3 })
      assert.isAbove(Number(at(completed, "summary", "judge_tokens")), 0)
      const [france, , unknown] = yield* itemsOf(server, accepted)
      assert.deepInclude(france as object, {
        item_id: "france",
        input: "The capital of France?",
        status: "passed",
        output: "Paris",
        error: null
      })
      assert.deepStrictEqual(at(unknown, "scores", 0), {
        scorer: "exact",
        score: null,
        passed: false,
        reason: "The item has no expected_output"
      })
      const runs = yield* get(server, `/sessions/${String(at(france, "session_id"))}/runs`)
      assert.deepStrictEqual(column(runs.json, "run_id"), [at(france, "run_id")])
      yield* post(server, "/metrics/refresh", {})
      assert.strictEqual(at((yield* get(server, "/metrics")).json, "metrics", 0, "agent_runs_count") ?? 0, 0)
    }))

  it.live("a run that fails is the error of its item, and workflows answer as well", () =>
    Effect.gen(function*() {
      const fails = (text: unknown) => {
        if (String(text).includes("Italy")) throw new Error("no atlas")
        return "Paris"
      }
      const workflow = Workflow.make({ id: "atlas", steps: [({ input }) => fails(input)] })
      const server = yield* serving([yield* saying("Paris")], { workflows: [workflow] })
      const accepted = yield* begin(server, yield* datasetOf(server, items.slice(0, 2)), {
        ...exact,
        agent_id: null,
        workflow_id: "atlas"
      })
      const completed = yield* settled(server, accepted)
      assert.deepInclude(at(completed, "summary") as object, { passed: 1, errors: 1 })
      const [france, italy] = yield* itemsOf(server, accepted)
      assert.isAbove(Number(at(france, "duration")), 0)
      assert.isAbove(Number(at(completed, "summary", "duration_p50")), 0)
      assert.deepInclude(italy as object, { status: "error", score: null, output: null })
      assert.match(String(at(italy, "error")), /^The run failed: /)
    }))

  it.live("a cancelled experiment ends with the run that it waits for, and can be deleted", () =>
    Effect.gen(function*() {
      const { agent, reached } = yield* slow
      const server = yield* serving([agent])
      const accepted = yield* begin(server, yield* datasetOf(server))
      yield* reached
      const ended = yield* post(server, `${pathOf(accepted)}/cancel`, {})
      assert.deepInclude(ended.json as object, { status: "CANCELLED", error: "It was cancelled", items_done: 1 })
      yield* cancelled(server, accepted)
      assert.strictEqual((yield* send(server, "DELETE", pathOf(accepted), undefined)).status, 204)
      notFound(
        yield* get(server, pathOf(accepted)),
        `Experiment with id '${String(at(accepted.json, "id"))}' not found`
      )
    }))

  it.live.each(["alone", "with its dataset"])(
    "the run of an experiment that is deleted %s is cancelled",
    (how) =>
      Effect.gen(function*() {
        const { agent, reached } = yield* slow
        const server = yield* serving([agent])
        const dataset = yield* datasetOf(server)
        const accepted = yield* begin(server, dataset)
        yield* reached
        const path = how === "alone" ? pathOf(accepted) : `/datasets/${dataset}`
        assert.strictEqual((yield* send(server, "DELETE", path, undefined)).status, 204)
        yield* cancelled(server, accepted)
        notFound(yield* get(server, pathOf(accepted)))
      })
  )

  it.live("a service that starts again resumes an experiment, and repeats no item that has ended", () =>
    Effect.gen(function*() {
      const shared = yield* Layer.build(TestDatabase.layer)
      const database = (): Database => makeDatabase("main-db", shared)
      const { agent, go, reached, script } = yield* slow
      const { spans, ...sink } = SpanSink.memory()
      const accepted = yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* serving([agent], { database, spans: sink })
        const accepted = yield* begin(server, yield* datasetOf(server))
        yield* reached
        return accepted
      }))
      yield* go
      const server = yield* serving([agent], { database, spans: sink })
      assert.strictEqual(at(yield* settled(server, accepted), "items_done"), 3)
      // the second run was interrupted and asked its model again
      assert.strictEqual((yield* script.calls).length, 4)
      const ofSecond = spans.filter(({ run_id }) => run_id === `eval_${String(at(accepted.json, "id"))}_2_run`)
      const resumed = ofSecond.find(({ attributes }) => attributes["svc.attempt"] === 2)
      assert.isDefined(resumed)
      assert.strictEqual(ofSecond.find(({ name }) => name.startsWith("evaluate"))?.parent_span_id, resumed?.span_id)
    }))

  it.live("a service that stops gives a running experiment its time to end, and no attempt of it fails", () =>
    Effect.gen(function*() {
      const shared = yield* Layer.build(TestDatabase.layer)
      const database = (): Database => makeDatabase("main-db", shared)
      const { agent, go, reached } = yield* slow
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(serving([agent], { database, drainTimeout: "1 minute" }), scope)
      const accepted = yield* begin(server, yield* datasetOf(server))
      yield* reached
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      const has = (text: RegExp) => server.logs.some(({ message }) => text.test(message))
      while (!has(/^Waiting for \d+ running job/)) yield* Effect.sleep("10 millis")
      yield* go
      yield* Fiber.join(closing)
      assert.isFalse(has(/^An attempt of a job failed/))
      const { json } = yield* get(yield* serving([agent], { database }), pathOf(accepted))
      assert.deepInclude(json as object, { status: "COMPLETED", items_done: 3 })
    }))

  it.live("a request that is invalid is refused, and so is one more than the limit", () =>
    Effect.gen(function*() {
      const { agent, reached } = yield* slow
      const server = yield* serving([agent], { evaluations: { unfinished: 1 } })
      const dataset = yield* datasetOf(server)
      const one = "Exactly one of agent_id, team_id or workflow_id must be given"
      badRequest(yield* begin(server, dataset, { ...exact, team_id: "desk" }), one)
      badRequest(yield* begin(server, dataset, { scorers: exact.scorers }), one)
      notFound(yield* begin(server, dataset, { ...exact, agent_id: "x" }), "Agent with id 'x' not found")
      notFound(yield* begin(server, "none"), "Dataset with id 'none' not found")
      notFound(yield* begin(server, dataset, { ...exact, version: 9 }), `Dataset '${dataset}' has no version 9`)
      const empty = yield* begin(server, dataset, { ...exact, version: 1 })
      failed(empty, 409, "CONFLICT", `Version 1 of dataset '${dataset}' has no items`)
      invalid(yield* begin(server, dataset, { ...exact, version: 0 }), [["body", "version"], "greater_than_equal"])
      const twice = [{ type: "exact" }, { type: "exact" }]
      badRequest(yield* begin(server, dataset, { ...exact, scorers: twice }), "Two scorers have the name 'exact'")
      for (const scorer of [{ type: "x" }, { typ: "exact" }, "exact"]) {
        const refused = yield* begin(server, dataset, { ...exact, scorers: [scorer] })
        invalid(refused, [["body", "scorers", 0], "union_tag_invalid"])
        assert.strictEqual(
          at(refused.json, "errors", 0, "msg"),
          "Input should be an object with 'type' 'exact', 'contains', 'json_schema', 'similarity', 'tool_trajectory' or 'judge'"
        )
      }
      const odd = { name: "a\0b", component_version: "\ud800", scorers: [{ type: "exact", name: "a\0b" }] }
      invalid(
        yield* begin(server, dataset, { ...exact, ...odd }),
        ...[["component_version"], ["name"], ["scorers", 0, "name"]].map((path) =>
          [["body", ...path], "string_unicode"] as const
        )
      )
      for (const field of ["criteria", "guidelines"]) {
        const judge = { type: "judge", criteria: "x", [field]: "€".repeat(21_846) }
        const refused = yield* begin(server, dataset, { ...exact, scorers: [judge] })
        invalid(refused, [["body", "scorers", 0, field], "string_too_long"])
        assert.include(refused.text, "at most 65536 bytes")
      }
      const large = { ...exact, scorers: [{ type: "contains", texts: ["x".repeat(256 * 1024)] }] }
      invalid(yield* begin(server, dataset, large), [["body", "scorers"], "too_long"])
      for (const body of [{ scorers: [] }, { concurrency: 11 }]) {
        assert.strictEqual((yield* begin(server, dataset, { ...exact, ...body })).status, 422, JSON.stringify(body))
      }
      assert.strictEqual((yield* begin(server, dataset)).status, 202)
      yield* reached
      const text = "1 experiments wait or are executed already (MAX_EVALUATIONS). Try again later"
      failed(yield* begin(server, dataset), 429, "TOO_MANY_REQUESTS", text)
    }))

  it.live("a field that is unknown is refused, and an agent as the judge with the way to have one", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")])
      const dataset = yield* datasetOf(server)
      invalid(yield* begin(server, dataset, { ...exact, concurency: 2 }), [["body", "concurency"], "extra_forbidden"])
      const loose = yield* begin(server, dataset, { ...exact, scorers: [{ type: "contains", text: ["Paris"] }] })
      invalid(loose, [["body", "scorers", 0, "text"], "extra_forbidden"])
      const judge = { type: "judge", agent_id: "assistant", criteria: "x" }
      const refused = yield* begin(server, dataset, { ...exact, scorers: [judge] })
      invalid(refused, [["body", "scorers", 0, "agent_id"], "extra_forbidden"])
      assert.strictEqual(at(refused.json, "errors", 0, "msg"), JudgeScorer.noOtherFields)
    }))

  it.effect("isolated callers find only their own experiments and datasets", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const scopes = everything
      const [ann, bob] = [yield* token("ann", ...scopes), yield* token("bob", ...scopes)]
      const json = (body: object) => ({
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      const dataset = yield* call(server, { path: "/datasets", init: json({ name: "anns", items }) }, ann)
      const init = json({ ...exact, dataset_id: at(dataset.json, "id") })
      const accepted = yield* call(server, { path: "/experiments", init }, ann)
      assert.strictEqual(at(accepted.json, "user_id"), "ann")
      const path = pathOf(accepted)
      const id = String(at(accepted.json, "id"))
      const requests = [
        { path },
        { path: `${path}/items` },
        { path: `${path}/cancel`, init: json({}) },
        { path, init: { method: "DELETE" } },
        { path: `/experiments/compare?ids=${id},${id}` },
        { path: "/experiments", init }
      ]
      for (const request of requests) notFound(yield* call(server, request, bob))
      const listed = yield* call(server, { path: "/experiments?user_id=ann" }, bob)
      assert.strictEqual(at(listed.json, "meta", "total_count"), 0)
      assert.strictEqual((yield* call(server, { path }, ann)).status, 200)
    }))
})
