// The endpoints of schedules, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Schedules.test.ts", {
  "schedules:read": {
    "GET /schedules": {},
    "GET /schedules/next": { path: "/schedules/next?cron_expr=@daily" },
    "GET /schedules/:schedule_id": {},
    "GET /schedules/:schedule_id/next": { path: "/schedules/none/next?count=1" },
    "GET /schedules/:schedule_id/runs": {},
    "GET /schedules/:schedule_id/runs/:run_id": {}
  },
  "schedules:write": {
    "POST /schedules": {
      json: { name: "a", cron_expr: "@daily", endpoint: "/agents/assistant/runs", payload: { message: "a" } },
      also: ["agents:run"]
    },
    "PATCH /schedules/:schedule_id": { json: { name: "a" } },
    "POST /schedules/:schedule_id/enable": {},
    "POST /schedules/:schedule_id/disable": {},
    "POST /schedules/:schedule_id/trigger": {}
  },
  "schedules:delete": {
    "DELETE /schedules/:schedule_id": {}
  }
})
