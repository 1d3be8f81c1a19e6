// #region
import { AgentRuns, Datasets, Feedback } from "@svc/client/effect"
import { Effect } from "effect"

const program = Effect.gen(function*() {
  const { run_id, session_id } = yield* AgentRuns.run("assistant", { message: "What is 17 times 23?" })
  yield* Feedback.give(run_id, { score: true, key: "helpful" })

  const { id } = yield* Datasets.create({ name: "arithmetic" })
  yield* Datasets.addRun(id, { run_id, session_id, with_tool_calls: true })
})
// #endregion

export { program }
