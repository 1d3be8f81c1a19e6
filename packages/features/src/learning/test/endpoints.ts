// The endpoints of learning, for the tests that call all endpoints.
import { checked, isolation } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked(isolation, {
  "learnings:read": {
    "GET /learnings": { path: "/learnings?user_id=ann" },
    "GET /learnings/users": { path: "/learnings/users?user_id=ann" },
    "GET /learnings/:learning_id": ({ learning }) => ({ path: `/learnings/${learning}` })
  },
  "learnings:write": {
    "POST /learnings": { json: { learning_type: "decision_log", content: { decision: "Wait." }, user_id: "ann" } },
    "PATCH /learnings/:learning_id": ({ learning }) => ({ path: `/learnings/${learning}`, json: { content: {} } })
  },
  "learnings:delete": {
    "DELETE /learnings/users/:user_id": { path: "/learnings/users/ann" },
    "DELETE /learnings/:learning_id": ({ learning }) => ({ path: `/learnings/${learning}` })
  }
})
