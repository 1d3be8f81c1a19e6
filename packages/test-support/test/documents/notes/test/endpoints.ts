// The endpoints of notes, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

// #region
export const endpoints = checked("server/test/wire/Notes.test.ts", {
  "notes:read": {
    "GET /notes": {},
    "GET /notes/:note_id": {}
  },
  "notes:write": { "POST /notes": { json: { text: "Order 17 is late", user_id: "ann" } } },
  "notes:delete": { "DELETE /notes/:note_id": {} }
})
// #endregion
