// The endpoints of skills, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

const text = "---\nname: refunds\ndescription: How to pay an order back\n---\nAsk for the number of the order first."

export const endpoints = checked("server/test/wire/Skills.test.ts", {
  "skills:read": {
    "GET /skills": {},
    "GET /skills/:skill_name": {},
    "GET /skills/:skill_name/versions": {}
  },
  "skills:write": {
    "POST /skills": { json: { text, user_id: "ann" } },
    "POST /skills/:skill_name/versions": { json: { text, user_id: "ann" } }
  },
  "skills:delete": { "DELETE /skills/:skill_name": {} }
})
