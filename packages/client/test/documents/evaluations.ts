// #region
import { Svc } from "@svc-runtime/client"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })

const { id } = await svc.evaluations.create({
  agent_id: "assistant",
  eval_type: "agent_as_judge",
  input: "What is 17 times 23?",
  criteria: "The answer is one sentence",
  background: true
})

let evaluation = await svc.evaluations.get(id)
while (evaluation.status === "PENDING" || evaluation.status === "RUNNING") {
  await new Promise((resolve) => setTimeout(resolve, 500))
  evaluation = await svc.evaluations.get(id)
}
console.log(evaluation.status, evaluation.eval_data)
// #endregion

// #region
const run = await svc.agent("assistant").run("What is 17 times 23?")
await svc.feedback.give(run.run_id, { score: true, key: "helpful" })

const dataset = await svc.datasets.create({ name: "arithmetic" })
await svc.datasets.addFromTrace(dataset.id, { run_id: run.run_id, session_id: run.session_id, with_tool_calls: true })
// #endregion
