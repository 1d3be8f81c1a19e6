// # A report on each working day
// Workflows
//
// A schedule in code is stored when the service starts, and each of its times is executed exactly once on all nodes.
// The run has the retries, traces and limits of any other run.
//
// Try:
//   npm run node -- packages/examples/src/recipes/report.ts
//   curl -s localhost:7777/schedules
//
// Change: `POST /schedules/ID/trigger` executes it at once. `maxRetries` repeats a failed run.
import { Agent, serve } from "@svc-runtime/server"

const reporter = Agent.make({ id: "reporter", instructions: "Write the report of yesterday in three sentences." })

export const application = {
  agents: [reporter],
  schedules: [{
    name: "Daily report",
    cron: "0 9 * * mon-fri",
    timezone: "Europe/Berlin",
    component: reporter,
    payload: { message: "Write the report.", session_id: "reports" }
  }]
}

if (import.meta.main) serve(application)
