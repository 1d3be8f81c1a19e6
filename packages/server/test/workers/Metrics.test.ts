// The metrics of several workers become one text.
import { assert, describe, it } from "@effect/vitest"
import * as Metrics from "../../src/workers/Metrics.ts"

const about = (name: string) => `# HELP ${name} What it is\n# TYPE ${name} counter`

describe("metrics of workers", () => {
  it("each metric is described once, and all of its series follow", () => {
    const text = Metrics.merged([
      {
        worker: 1,
        answer: `${about("runs")}\nruns{worker="1",status="OK, {1}"} 3\n\n${about("up")}\nup{worker="1"} 1\n`
      },
      { worker: 2, answer: `${about("up")}\nup{worker="2"} 1\n${about("runs")}\nruns{worker="2",status="OK, {1}"} 4\n` }
    ])
    assert.deepStrictEqual(text.split("\n"), [
      ...about("runs").split("\n"),
      "runs{worker=\"1\",status=\"OK, {1}\"} 3",
      "runs{worker=\"2\",status=\"OK, {1}\"} 4",
      "",
      ...about("up").split("\n"),
      "up{worker=\"1\"} 1",
      "up{worker=\"2\"} 1",
      ""
    ])
  })

  it("a worker without an answer is left out", () => {
    assert.strictEqual(Metrics.merged([{ worker: 1, answer: null }, { worker: 2, answer: "" }]), "")
  })
})
