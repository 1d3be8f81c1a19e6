// The endpoints of registry, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("about the service", {
  "registry:read": {
    "GET /registry": {}
  }
})
