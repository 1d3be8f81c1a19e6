// The endpoints of feedback, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Feedback.test.ts", {
  "evals:write": {
    "POST /runs/:run_id/feedback": ({ run }) => ({ path: `/runs/${run}/feedback`, json: { score: 1, user_id: "ann" } })
  },
  "evals:read": {
    "GET /runs/:run_id/feedback": ({ run }) => ({ path: `/runs/${run}/feedback` }),
    "GET /feedback": {}
  },
  "evals:delete": {
    "DELETE /feedback/:feedback_id": {}
  }
})
