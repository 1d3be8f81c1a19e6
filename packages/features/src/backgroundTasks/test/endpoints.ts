// The endpoints of background tasks, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("testing/test/BackgroundTasks.test.ts", {
  "sessions:read": {
    "GET /sessions/:session_id/tasks": ({ session }) => ({ path: `/sessions/${session}/tasks` })
  }
})
