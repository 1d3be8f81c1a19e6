// The endpoints of traces, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/Traces.test.ts", {
  "traces:read": {
    "GET /traces": { path: "/traces?user_id=ann" },
    "GET /traces/filter-schema": {},
    "GET /traces/:trace_id": { path: `/traces/${"f".repeat(32)}` },
    "GET /trace_session_stats": { path: "/trace_session_stats?user_id=ann" },
    "POST /traces/search": { json: {} }
  }
})
