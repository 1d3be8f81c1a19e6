// The endpoints of components, for the tests that call all endpoints.
import { checked } from "@svc-runtime/test-support/endpoints/Checked"

export const endpoints = checked("shared by all callers", {
  "components:read": {
    "GET /components": {},
    "GET /components/:component_id": {},
    "GET /components/:component_id/configs": {},
    "GET /components/:component_id/configs/current": {},
    "GET /components/:component_id/configs/:version": { path: "/components/none/configs/1" }
  },
  "components:write": {
    "POST /components": () => ({ json: { name: crypto.randomUUID(), component_type: "agent" } }),
    "PATCH /components/:component_id": { json: { name: "a" } },
    "POST /components/:component_id/configs": { json: { config: {} } },
    "PATCH /components/:component_id/configs/:version": { path: "/components/none/configs/1", json: { notes: "a" } },
    "POST /components/:component_id/configs/:version/set-current": { path: "/components/none/configs/1/set-current" }
  },
  "components:delete": {
    "DELETE /components/:component_id": {},
    "DELETE /components/:component_id/configs/:version": { path: "/components/none/configs/1" }
  }
})
