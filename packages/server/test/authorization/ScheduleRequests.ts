// The requests for the endpoints of schedules.
import { json, type Request, type Subject } from "./Subject.ts"

const action = (name: string) => () => ({ path: `/schedules/none/${name}`, init: { method: "POST" } })

export const scheduleRequests: Readonly<Record<string, (subject: Subject) => Request>> = {
  "GET /schedules": () => ({ path: "/schedules" }),
  "POST /schedules": () => ({
    path: "/schedules",
    init: json("POST", { name: "a", cron_expr: "@daily", endpoint: "/agents/assistant/runs" })
  }),
  "GET /schedules/next": () => ({ path: "/schedules/next?cron_expr=@daily" }),
  "GET /schedules/:schedule_id": () => ({ path: "/schedules/none" }),
  "PATCH /schedules/:schedule_id": () => ({ path: "/schedules/none", init: json("PATCH", { name: "a" }) }),
  "DELETE /schedules/:schedule_id": () => ({ path: "/schedules/none", init: { method: "DELETE" } }),
  "POST /schedules/:schedule_id/enable": action("enable"),
  "POST /schedules/:schedule_id/disable": action("disable"),
  "POST /schedules/:schedule_id/trigger": action("trigger"),
  "GET /schedules/:schedule_id/next": () => ({ path: "/schedules/none/next?count=1" }),
  "GET /schedules/:schedule_id/runs": () => ({ path: "/schedules/none/runs" }),
  "GET /schedules/:schedule_id/runs/:run_id": () => ({ path: "/schedules/none/runs/none" })
}
