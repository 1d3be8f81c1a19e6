// # Collect scores of people, and make test cases of them
// Quality
//
// People rate the answers of live runs. What they dislike becomes an item of a dataset, which each new version of the
// agent has to pass.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   svc run assistant "What is 17 times 23?"
//
// Change: `score` is a number, a truth value or a label, and a run can have scores of several keys.
import type { Svc } from "@svc-runtime/client"

interface Run {
  readonly run_id: string
  readonly session_id: string
}

export const rate = async (svc: Svc, { run_id, session_id }: Run, isHelpful: boolean) => {
  await svc.feedback.give(run_id, { score: isHelpful, key: "helpful" })
  if (isHelpful) return
  const { data } = await svc.datasets.list()
  const { id } = data.find(({ name }) => name === "disliked") ?? await svc.datasets.create({ name: "disliked" })
  await svc.datasets.addFromTrace(id, { run_id, session_id })
}
