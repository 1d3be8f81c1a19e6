// The endpoints of rollouts, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Rollouts.test.ts", {
  "components:read": {
    "GET /components/:component_id/rollout": {},
    "GET /components/:component_id/rollouts": {},
    "GET /components/:component_id/versions/compare": {}
  },
  "components:write": {
    "POST /components/:component_id/rollout": { json: { versions: [{ version: 2, share: 100 }] } },
    "PATCH /components/:component_id/rollout": { json: { guard: null } },
    "POST /components/:component_id/rollout/stop": { json: {} }
  }
})
