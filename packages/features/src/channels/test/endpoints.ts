// The endpoints of channels, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Channels.test.ts", {
  "channels:read": {
    "GET /channels": {},
    "GET /channels/:channel_id": {},
    "GET /channels/:channel_id/messages/:channel_message_id": {}
  },
  "channels:delete": { "DELETE /channels/:channel_id": {} },
  "channels:write": {
    "POST /channels": {
      json: { platform: "telegram", component_kind: "agent", component_id: "assistant", settings: {} },
      also: ["platform:admin"]
    },
    "PATCH /channels/:channel_id": { json: { when_busy: "queue" } },
    "POST /channels/:channel_id/test": {},
    "POST /channels/:channel_id/messages": { json: { to: { user_id: "ann" }, text: "Hello" } }
  },
  none: {
    "POST /channels/:channel_id/events": { json: [] },
    "GET /channels/:channel_id/events": {},
    "POST /channels/links/preview": { json: { code: "ABCDE-FGHJK" } },
    "POST /channels/links": { json: { code: "ABCDE-FGHJK", user_id: "ann" } },
    "GET /channels/links": {},
    "DELETE /channels/links/:link_id": {}
  }
})
