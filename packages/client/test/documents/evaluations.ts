// #region
import { EvalRuns } from "@svc/client/effect"
import { Effect } from "effect"

const program = Effect.gen(function*() {
  const ended = yield* EvalRuns.run({
    agent_id: "assistant",
    eval_type: "agent_as_judge",
    input: "What is 17 times 23?",
    criteria: "The answer is one sentence"
  })
  yield* Effect.log(ended.status, ended.eval_data)
})
// #endregion

export { program }
