// The endpoints of webhooks, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Webhooks.test.ts", {
  "webhooks:read": {
    "GET /webhooks": {},
    "GET /webhooks/:webhook_id": {},
    "GET /webhooks/:webhook_id/deliveries": {},
    "GET /webhooks/:webhook_id/deliveries/:delivery_id": {}
  },
  "webhooks:write": {
    "POST /webhooks": { json: { url: "https://receiver.example/svc", events: ["run.completed"] } },
    "PATCH /webhooks/:webhook_id": { json: { description: "a" } },
    "POST /webhooks/:webhook_id/rotate-secret": {},
    "POST /webhooks/:webhook_id/test": {},
    "POST /webhooks/:webhook_id/deliveries/:delivery_id/redeliver": {}
  },
  "webhooks:delete": {
    "DELETE /webhooks/:webhook_id": {}
  }
})
