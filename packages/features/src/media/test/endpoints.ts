// The endpoints of media, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Media.test.ts", {
  "sessions:read": {
    "GET /media/:media_id": {}
  }
})
