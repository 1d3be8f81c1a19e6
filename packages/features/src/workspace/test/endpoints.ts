// The endpoints of workspaces, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Workspace.test.ts", {
  "sessions:read": {
    "GET /sessions/:session_id/workspace": {},
    "GET /sessions/:session_id/workspace/:file_path": {}
  },
  "sessions:write": {
    "PUT /sessions/:session_id/workspace/:file_path": { json: { content: "a" } },
    "DELETE /sessions/:session_id/workspace/:file_path": {}
  }
})
