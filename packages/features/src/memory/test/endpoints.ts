// The endpoints of memory, for the tests that call all endpoints.
import { checked, isolation } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked(isolation, {
  "memories:write": {
    "POST /memories": { json: { memory: "likes cake", topics: ["food"], user_id: "ann" } },
    "PATCH /memories/:memory_id": ({ memory }) => ({
      path: `/memories/${memory}`,
      json: { memory: "likes coffee", user_id: "ann" }
    }),
    "POST /optimize-memories": { json: { user_id: "ann", model: "fixed:fixed" } },
    "PUT /users/:user_id/memory-settings": { path: "/users/ann/memory-settings", json: { enabled: true } }
  },
  "memories:read": {
    "GET /memories": { path: "/memories?user_id=ann" },
    "GET /memories/:memory_id": ({ memory }) => ({ path: `/memories/${memory}?user_id=ann` }),
    "GET /memory_topics": { path: "/memory_topics?user_id=ann" },
    "GET /user_memory_stats": { path: "/user_memory_stats?user_id=ann" },
    "GET /users/:user_id/memory-settings": { path: "/users/ann/memory-settings" }
  },
  "memories:delete": {
    "DELETE /memories/:memory_id": ({ memory }) => ({ path: `/memories/${memory}?user_id=ann` }),
    "DELETE /memories": ({ memory }) => ({ json: { memory_ids: [memory], user_id: "ann" } }),
    "DELETE /users/:user_id/memory": { path: "/users/ann/memory", also: ["learnings:delete"] }
  }
})
