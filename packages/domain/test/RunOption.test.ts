import { assert, describe, it } from "@effect/vitest"
import * as RunOption from "@svc-runtime/domain/RunOption"

describe("RunOption", () => {
  it("an option that is left out or null has its default", () => {
    assert.deepStrictEqual(RunOption.defaultsOf(RunOption.start), {
      if_busy: "queue",
      previous_run_id: undefined,
      evaluation: false
    })
    assert.deepStrictEqual(RunOption.valuesOf(RunOption.start, { if_busy: null }), {
      if_busy: "queue",
      previous_run_id: undefined,
      evaluation: false
    })
    assert.deepStrictEqual(RunOption.defaultsOf(RunOption.httpResponse), {
      stream: true,
      background: false,
      stream_events: true,
      on_disconnect: "continue"
    })
  })

  it("a given option has its value, and fields that are no options are left out", () => {
    const fields = { stream: false, on_disconnect: "cancel", session_id: "s" } as const
    assert.deepStrictEqual(RunOption.valuesOf({ ...RunOption.workflowResponse, ...RunOption.disconnect }, fields), {
      stream: false,
      stream_events: true,
      on_disconnect: "cancel"
    })
  })
})
