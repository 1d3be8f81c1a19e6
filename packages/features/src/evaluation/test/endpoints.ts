// The endpoints of evaluation, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = [
  ...checked("server/test/authorization/EvalRuns.test.ts", {
    "evals:read": {
      "GET /eval-runs": {},
      "GET /eval-runs/:eval_run_id": {}
    },
    "evals:write": {
      "PATCH /eval-runs/:eval_run_id": { json: { name: "a" } },
      "POST /eval-runs": ({ agent }) => ({
        json: { agent_id: agent, eval_type: "performance", input: "hi", background: true },
        also: ["agents:run"]
      }),
      "POST /eval-runs/:eval_run_id/cancel": {}
    },
    "evals:delete": {
      "DELETE /eval-runs": { json: { eval_run_ids: ["none"] } }
    }
  }),
  ...checked("server/test/wire/Datasets.test.ts", {
    "evals:read": {
      "GET /datasets": {},
      "GET /datasets/:dataset_id": {},
      "GET /datasets/:dataset_id/items": {},
      "GET /datasets/:dataset_id/export": {}
    },
    "evals:write": {
      "POST /datasets": { json: { name: "a", user_id: "ann" } },
      "PATCH /datasets/:dataset_id": { json: { name: "a" } },
      "POST /datasets/:dataset_id/items": { json: { remove: ["a"] } },
      "POST /datasets/:dataset_id/items/from-trace": { json: { trace_id: "none" } },
      "POST /datasets/:dataset_id/import": {
        init: { method: "POST", headers: { "content-type": "application/x-ndjson" }, body: "{\"input\":1}" }
      }
    },
    "evals:delete": {
      "DELETE /datasets/:dataset_id": {}
    }
  }),
  ...checked("server/test/wire/Experiments.test.ts", {
    "evals:read": {
      "GET /experiments": {},
      "GET /experiments/compare": { path: "/experiments/compare?ids=a,b" },
      "GET /experiments/:experiment_id": {},
      "GET /experiments/:experiment_id/items": {}
    },
    "evals:write": {
      "POST /experiments": ({ agent }) => ({
        json: { dataset_id: "none", agent_id: agent, scorers: [{ type: "exact" }] },
        also: ["agents:run"]
      }),
      "POST /experiments/:experiment_id/cancel": {}
    },
    "evals:delete": {
      "DELETE /experiments/:experiment_id": {}
    }
  })
]
