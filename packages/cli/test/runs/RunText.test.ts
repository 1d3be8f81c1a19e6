// What a person sees of the events of a run.
import { assert, describe, it } from "@effect/vitest"
import * as RunText from "../../src/runs/RunText.ts"

const repeatedIn = (events: ReadonlyArray<readonly [event: string, run?: string]>): ReadonlyArray<number> => {
  const requests = RunText.requests(() => "r1")
  return events.flatMap(([event, run_id = "r1"], index) =>
    requests.isRepeated({ event, run_id } as never) ? [index] : []
  )
}

describe("RunText.requests", () => {
  it("A request that begins again after a part of its answer is repeated.", () => {
    const events = [["ModelRequestStarted"], ["RunContent"], ["ModelRequestStarted"], ["RunContent"]] as const
    assert.deepStrictEqual(repeatedIn(events), [2])
    assert.deepStrictEqual(repeatedIn(events.map(([event]) => [`Team${event}`] as const)), [2])
  })

  it("The next request of a run is not repeated, and neither is one without a part.", () => {
    const next = [["ModelRequestStarted"], ["RunContent"], ["ModelRequestCompleted"], ["ModelRequestStarted"]] as const
    assert.deepStrictEqual(repeatedIn(next), [])
    assert.deepStrictEqual(repeatedIn([["ModelRequestStarted"], ["ModelRequestStarted"]]), [])
  })

  it("A request of a member is none of the run that is followed.", () => {
    assert.deepStrictEqual(repeatedIn([["RunContent"], ["ModelRequestStarted", "r2"]]), [])
  })
})
