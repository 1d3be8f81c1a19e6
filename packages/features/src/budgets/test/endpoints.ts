// The endpoints of budgets, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Budgets.test.ts", {
  "budgets:read": {
    "GET /budgets": {},
    "GET /budgets/:budget_id": {},
    "GET /budgets/:budget_id/spending": {}
  },
  "budgets:write": {
    "POST /budgets": { json: { name: "each user", scope: "user", period: "day", amount: 5 } },
    "PATCH /budgets/:budget_id": { json: { amount: 10 } }
  },
  "budgets:delete": {
    "DELETE /budgets/:budget_id": {}
  }
})
