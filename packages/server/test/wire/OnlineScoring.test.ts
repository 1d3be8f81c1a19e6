// Live runs that are rated after their end.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import * as PrometheusText from "../PrometheusText.ts"
import { always, type Answer, ask, at, column, get, list, runWhole } from "../Wire.ts"
import { serving } from "./Evaluations.ts"

const ofRun = Effect.fnUntraced(function*(server: TestServer.TestServer, run: Answer, count: number) {
  for (;;) {
    const found = list((yield* get(server, `/runs/${String(at(run.json, "run_id"))}/feedback`)).json)
    if (found.length >= count) return found
    yield* Effect.sleep("10 millis")
  }
})

describe("a run of a component with onlineScoring", () => {
  it.live("the scores are feedback from scorers, in the order of the scorers", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("It is Paris"), Script.usage({ input: 5, output: 1 }))
      const scorers = [{ type: "contains", texts: ["Paris", "Rome"] }, { type: "judge", criteria: "Paris" }] as const
      const agent = Agent.make({ id: "assistant", model, onlineScoring: { scorers, sampleRate: 1 } })
      const server = yield* serving([agent])
      const answer = yield* runWhole(server, "assistant", { message: "The capital?", session_id: "s" })
      const found = yield* ofRun(server, answer, 2)
      assert.deepStrictEqual(column(found, "key"), ["contains", "judge"])
      assert.deepStrictEqual(column(found, "score"), [0.5, 1])
      assert.deepInclude(found[0] as object, {
        source: "scorer",
        user_id: null,
        session_id: "s",
        comment: "The output does not contain: Rome"
      })
      const usage = at((yield* get(server, "/sessions/s")).json, "total_tokens")
      assert.strictEqual(usage, at(answer.json, "metrics", "total_tokens"))
      // the judge counts apart from the usage of the run
      const { samples, value } = PrometheusText.parse((yield* get(server, "/metrics/prometheus")).text)
      for (const type of ["input", "output"]) {
        assert.isAbove(value("svc_judge_tokens_total", { source: "online", type }) ?? 0, 0)
      }
      const counted = samples.filter(({ name }) => name === "svc_tokens_total").reduce(
        (sum, { value }) => sum + value,
        0
      )
      assert.strictEqual(counted, usage)
    }))

  it.live("scorers without a model rate the run of a service whose default model cannot be used", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("It is Paris"))
      const scorers = [{ type: "judge", criteria: "Paris" }, { type: "contains", texts: ["Paris"] }] as const
      const agent = Agent.make({ id: "assistant", model, onlineScoring: { scorers, sampleRate: 1 } })
      const server = yield* serving([agent], { model: "openai:gpt-5" })
      const found = yield* ofRun(server, yield* runWhole(server, "assistant", { message: "The capital?" }), 1)
      assert.deepStrictEqual(column(found, "key"), ["contains"])
    }))

  it.live("runs of teams and workflows are rated as a whole, those of members and steps are not, and a day has a limit", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("It is Paris"))
      const scorers = [{ type: "contains", texts: ["Paris"] }] as const
      const onlineScoring = { scorers, sampleRate: 1, maxPerDay: 1 }
      const member = Agent.make({ id: "member", model, onlineScoring })
      const team = Team.make({ id: "desk", model, members: [member], onlineScoring })
      const workflow = Workflow.make({
        id: "brief",
        steps: [Step.make({ name: "ask", agent: member })],
        onlineScoring
      })
      const server = yield* serving([], { teams: [team], workflows: [workflow] })
      const start = (path: string, message: string) =>
        ask(server, `${path}/runs`, { method: "POST", body: new URLSearchParams({ stream: "false", message }) })
      for (const [path, key] of [["/teams/desk", "team_id"], ["/workflows/brief", "workflow_id"]] as const) {
        const first = yield* start(path, "The capital?")
        assert.strictEqual((yield* start(path, "Again?")).status, 200)
        const [given] = yield* ofRun(server, first, 1)
        assert.deepInclude(given as object, { source: "scorer", score: 1, [key]: path.split("/")[2] })
      }
      assert.lengthOf(list((yield* get(server, "/feedback")).json, "data"), 2)
    }))
})
