// The requests for the endpoints of evaluations.
import { json, type Request, type Subject } from "./Subject.ts"

export const evaluationRequests: Readonly<Record<string, (subject: Subject) => Request>> = {
  "GET /eval-runs": () => ({ path: "/eval-runs" }),
  "GET /eval-runs/:eval_run_id": () => ({ path: "/eval-runs/none" }),
  "PATCH /eval-runs/:eval_run_id": () => ({ path: "/eval-runs/none", init: json("PATCH", { name: "a" }) }),
  "DELETE /eval-runs": () => ({ path: "/eval-runs", init: json("DELETE", { eval_run_ids: ["none"] }) }),
  "POST /eval-runs": ({ agent }) => ({
    path: "/eval-runs",
    init: json("POST", { agent_id: agent, eval_type: "performance", input: "hi", background: true })
  }),
  "POST /eval-runs/:eval_run_id/cancel": () => ({ path: "/eval-runs/none/cancel", init: { method: "POST" } }),
  "POST /runs/:run_id/feedback": ({ run }) => ({
    path: `/runs/${run}/feedback`,
    init: json("POST", { score: 1, user_id: "ann" })
  }),
  "GET /runs/:run_id/feedback": ({ run }) => ({ path: `/runs/${run}/feedback` }),
  "GET /feedback": () => ({ path: "/feedback" }),
  "DELETE /feedback/:feedback_id": () => ({ path: "/feedback/none", init: { method: "DELETE" } }),
  "GET /datasets": () => ({ path: "/datasets" }),
  "POST /datasets": () => ({ path: "/datasets", init: json("POST", { name: "a", user_id: "ann" }) }),
  "GET /datasets/:dataset_id": () => ({ path: "/datasets/none" }),
  "PATCH /datasets/:dataset_id": () => ({ path: "/datasets/none", init: json("PATCH", { name: "a" }) }),
  "DELETE /datasets/:dataset_id": () => ({ path: "/datasets/none", init: { method: "DELETE" } }),
  "GET /datasets/:dataset_id/items": () => ({ path: "/datasets/none/items" }),
  "POST /datasets/:dataset_id/items": () => ({ path: "/datasets/none/items", init: json("POST", { remove: ["a"] }) }),
  "POST /datasets/:dataset_id/items/from-trace": () => ({
    path: "/datasets/none/items/from-trace",
    init: json("POST", { trace_id: "none" })
  }),
  "POST /datasets/:dataset_id/import": () => ({
    path: "/datasets/none/import",
    init: { method: "POST", headers: { "content-type": "application/x-ndjson" }, body: "{\"input\":1}" }
  }),
  "GET /datasets/:dataset_id/export": () => ({ path: "/datasets/none/export" }),
  "GET /experiments": () => ({ path: "/experiments" }),
  "POST /experiments": ({ agent }) => ({
    path: "/experiments",
    init: json("POST", { dataset_id: "none", agent_id: agent, scorers: [{ type: "exact" }] })
  }),
  "GET /experiments/compare": () => ({ path: "/experiments/compare?ids=a,b" }),
  "GET /experiments/:experiment_id": () => ({ path: "/experiments/none" }),
  "DELETE /experiments/:experiment_id": () => ({ path: "/experiments/none", init: { method: "DELETE" } }),
  "POST /experiments/:experiment_id/cancel": () => ({ path: "/experiments/none/cancel", init: { method: "POST" } }),
  "GET /experiments/:experiment_id/items": () => ({ path: "/experiments/none/items" })
}
