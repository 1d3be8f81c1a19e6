// The endpoints of knowledge, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("server/test/wire/KnowledgeOwners.test.ts", {
  "knowledge:write": {
    "POST /knowledge/content": { path: "/knowledge/content?knowledge_id=none", form: { text_content: "a" } },
    "POST /knowledge/remote-content": {
      path: "/knowledge/remote-content?knowledge_id=none",
      form: { config_id: "none", path: "a" }
    },
    "PATCH /knowledge/content/:content_id": { path: "/knowledge/content/none?knowledge_id=none", form: { name: "a" } }
  },
  "knowledge:read": {
    "GET /knowledge/content": { path: "/knowledge/content?knowledge_id=none" },
    "GET /knowledge/content/:content_id": { path: "/knowledge/content/none?knowledge_id=none" },
    "GET /knowledge/content/:content_id/status": { path: "/knowledge/content/none/status?knowledge_id=none" },
    "POST /knowledge/search": { json: { query: "a", knowledge_id: "none" } },
    "GET /knowledge/config": { path: "/knowledge/config?knowledge_id=none" },
    "GET /knowledge/:knowledge_id/sources": {},
    "GET /knowledge/:knowledge_id/sources/:source_id/files": {}
  },
  "knowledge:delete": {
    "DELETE /knowledge/content/:content_id": { path: "/knowledge/content/none?knowledge_id=none" },
    "DELETE /knowledge/content": { path: "/knowledge/content?knowledge_id=none" }
  }
})
