// #region
import { Svc } from "@svc-runtime/client"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })

const dataset = await svc.datasets.create({
  name: "arithmetic",
  items: [{ id: "product", input: "What is 17 times 23?", expected_output: "391" }]
})

const experiment = async (component: { agent_id: string } | { team_id: string }) => {
  const { id } = await svc.experiments.create({ ...component, dataset_id: dataset.id, scorers: [{ type: "contains" }] })
  for (;;) {
    const now = await svc.experiments.get(id)
    if (now.status !== "PENDING" && now.status !== "RUNNING") return now
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

const base = await experiment({ agent_id: "assistant" })
const other = await experiment({ team_id: "desk" })
console.log(base.summary?.pass_rate, other.summary?.pass_rate)

const { data, regressions } = await svc.experiments.compare({ ids: `${base.id},${other.id}` })
console.log(regressions, data.filter(({ is_regression }) => is_regression))
// #endregion
