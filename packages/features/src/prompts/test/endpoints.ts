// The endpoints of prompts, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Prompts.test.ts", {
  "prompts:read": {
    "GET /prompts": {},
    "GET /prompts/:prompt_name": {},
    "GET /prompts/:prompt_name/versions": {}
  },
  "prompts:write": {
    "POST /prompts": { json: { name: "tone", text: "Be friendly.", user_id: "ann" } },
    "POST /prompts/:prompt_name/versions": { json: { text: "Be short.", user_id: "ann" } }
  },
  "prompts:delete": { "DELETE /prompts/:prompt_name": {} }
})
