// Which cancelled runs get the job that cancels their background tasks.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/domain/Agent"
import * as Run from "@svc-runtime/domain/Run"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { Effect } from "effect"
import * as BackgroundCancels from "../../src/nested/BackgroundCancels.ts"

const called = ToolExecution.requested({ tool_call_id: "call", tool_name: "researcher", tool_args: {}, created_at: 1 })

const jobsOf = (tool: ToolExecution.ToolExecution, status: Run.Status = "CANCELLED") => {
  const run: Run.Output = {
    ...Run.running({
      run_id: Run.Id.make("run"),
      component_id: Agent.Id.make("assistant"),
      session_id: "session",
      user_id: null,
      created_at: 1,
      input: { input_content: "Go" }
    }),
    status,
    tools: [tool]
  }
  return Effect.map(BackgroundCancels.withCancels({ run, jobs: [] }), ({ jobs }) => jobs.map(({ kind }) => kind))
}

describe("the end of a cancelled run", () => {
  it.effect("a call with a task is followed by the job, and so is one whose result was lost", () =>
    Effect.gen(function*() {
      const withTask = { ...called, result: "{\"task_id\":\"1\"}" }
      assert.deepStrictEqual(yield* jobsOf(withTask), ["background_cancel"])
      assert.deepStrictEqual(yield* jobsOf(ToolExecution.cutOff(called, true)), ["background_cancel"])
      assert.deepStrictEqual(yield* jobsOf(ToolExecution.cutOff(called, false)), [])
      assert.deepStrictEqual(yield* jobsOf({ ...called, result: "Sunny" }), [])
      assert.deepStrictEqual(yield* jobsOf(withTask, "COMPLETED"), [])
    }))
})
