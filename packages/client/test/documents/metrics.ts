// #region
import { Svc } from "@svc-runtime/client"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })

const { metrics } = await svc.metrics.days({ starting_date: "2026-11-01" })
console.log(metrics.map(({ agent_runs_count, date }) => `${date}: ${agent_runs_count} runs of agents`))

const usage = await svc.metrics.usage({ interval: "hour", group_by: "model", limit: 1000 })
for (const { cost, model_id, time } of usage.data) console.log(time, model_id, cost)
// #endregion
