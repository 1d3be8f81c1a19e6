// The endpoints of roles, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Roles.test.ts", {
  "roles:read": {
    "GET /roles": {},
    "GET /roles/:role_name": {}
  },
  "roles:write": {
    "POST /roles": { json: { name: "support", scopes: ["sessions:read"] }, also: ["sessions:read"] },
    "PATCH /roles/:role_name": { json: { description: "Answers customers" } }
  },
  "roles:delete": {
    "DELETE /roles/:role_name": {}
  }
})
