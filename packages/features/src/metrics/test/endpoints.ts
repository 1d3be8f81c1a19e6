// The endpoints of metrics, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/authorization/Metrics.test.ts", {
  "metrics:read": {
    "GET /metrics": {},
    "GET /metrics/usage": {},
    "GET /metrics/refresh/status": {}
  },
  "metrics:write": {
    "POST /metrics/refresh": {}
  }
})
