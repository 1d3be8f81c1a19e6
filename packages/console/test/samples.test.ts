import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import { samplesOf, sumsOf } from "../src/system/samples.ts"

const text = `# HELP svc_runs_total Ended runs
# TYPE svc_runs_total counter
svc_runs_total{kind="agent",component="a",status="COMPLETED"} 2
svc_runs_total{kind="agent",component="b {\\"x\\"}, y",status="COMPLETED"} 3
svc_runs_total{kind="agent",component="b",status="ERROR"} 1
svc_runs_held 4
`

describe("The metrics of a node", () => {
  it("Samples are added for each value of a label.", () => {
    assert.deepStrictEqual([...sumsOf(samplesOf(text), "svc_runs_total", "status")], [["COMPLETED", 5], ["ERROR", 1]])
  })

  it("Labels that are none are read once.", () => {
    assertLinear(2000, (length) => void samplesOf(`a{${"b".repeat(length)}} 1`))
  })

  it("A sample without labels has its value, and one that is not there has none.", () => {
    assert.deepStrictEqual([...sumsOf(samplesOf(text), "svc_runs_held")], [["", 4]])
    assert.deepStrictEqual([...sumsOf(samplesOf(text), "svc_jobs_total")], [])
  })
})
