// The endpoints of the audit log, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Audit.test.ts", {
  "audit:read": {
    "GET /audit": {},
    "GET /audit/export": {}
  }
})
