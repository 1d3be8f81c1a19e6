import { assert, describe, it } from "@effect/vitest"
import * as Instruments from "../src/Instruments.ts"

describe("instruments", () => {
  it("a time that went backwards counts as none, and what is no number is left out", () => {
    const instruments = Instruments.make()
    for (const seconds of [2, -5, Number.NaN, Infinity]) instruments.eventLag(seconds)
    const lines = instruments.format().split("\n")
    assert.include(lines, "svc_event_lag_seconds_sum 2")
    assert.include(lines, "svc_event_lag_seconds_count 2")
  })

  it("each series gets the labels of its worker, also one without labels", () => {
    const instruments = Instruments.make()
    instruments.eventLag(2)
    instruments.jobEnded("wake", "completed")
    const lines = instruments.format({ worker: "3" }).split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    for (const line of lines) assert.match(line, /^\w+\{worker="3"[,}]/)
    assert.include(lines, "svc_event_lag_seconds_sum{worker=\"3\"} 2")
    assert.include(lines, "svc_jobs_total{worker=\"3\",kind=\"wake\",status=\"completed\"} 1")
    assert.notInclude(instruments.format(), "worker=")
  })

  it("the series of judges begin at zero, so that the increase of the first answer is seen", () => {
    const lines = Instruments.make().format().split("\n")
    for (const source of ["evaluation", "experiment", "online"]) {
      assert.include(lines, `svc_judge_tokens_total{source="${source}",type="input"} 0`)
      assert.include(lines, `svc_judge_tokens_total{source="${source}",type="output"} 0`)
      assert.include(lines, `svc_judge_cost_usd_total{source="${source}"} 0`)
      for (const reason of ["error", "format", "timeout"]) {
        assert.include(lines, `svc_judge_failures_total{source="${source}",reason="${reason}"} 0`)
      }
    }
  })

  it("tokens and cost of components begin at zero, and have those of runs and of background jobs", () => {
    const component = { kind: "agent", id: "desk" }
    const instruments = Instruments.make([component])
    const of = `kind="agent",component="desk"`
    const lines = () => instruments.format().split("\n").filter((line) => /^svc_(?:tokens|cost).*\{/.test(line))
    const counted = (input: number, output: number, cost: number) => [
      `svc_tokens_total{${of},type="input",evaluation="false"} ${input}`,
      `svc_tokens_total{${of},type="output",evaluation="false"} ${output}`,
      `svc_cost_usd_total{${of},evaluation="false"} ${cost}`
    ]
    assert.sameMembers(lines(), counted(0, 0, 0))
    const use = { component, inputTokens: 2, outputTokens: 1, cost: 0.5 }
    instruments.runEnded({ ...use, status: "COMPLETED", seconds: 1 })
    instruments.jobUsed(use)
    assert.sameMembers(lines(), counted(4, 2, 1))
    assert.include(
      instruments.format(),
      `svc_runs_total{${of},status="COMPLETED",evaluation="false"} 1`
    )
  })

  it("usage of a model without a price is reported the first time, and for 50 models at most", () => {
    const { isFirstUnpriced } = Instruments.make()
    const first = Array.from({ length: 60 }, (_, index) => isFirstUnpriced({ id: "m", provider: `p${index}` }))
    assert.lengthOf(first.filter((isFirst) => isFirst), 50)
    assert.isFalse(isFirstUnpriced({ id: "m", provider: "p0" }))
    assert.isTrue(Instruments.make().isFirstUnpriced({ id: "m", provider: "p0" }))
  })

  it("further models share the series `other`, also those of another provider with a known id", () => {
    const instruments = Instruments.make()
    for (let index = 0; index < 60; index++) {
      for (const id of ["known", `m${index}`]) {
        instruments.modelEnded({ model: { id, provider: `p${index}` }, isError: false, seconds: 1 })
      }
    }
    const series = instruments.format().split("\n").filter((line) => line.startsWith("svc_model_requests_total{"))
    assert.lengthOf(series, 51)
    assert.isTrue(series.some((line) => line.includes("model=\"other\"") && line.includes("provider=\"other\"")))
  })
})
