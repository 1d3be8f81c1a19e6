// The requests for the endpoints of stored components.
import { json, type Request, type Subject } from "./Subject.ts"

const remove = { method: "DELETE" }

export const componentRequests: Readonly<Record<string, (subject: Subject) => Request>> = {
  "GET /components": () => ({ path: "/components" }),
  "POST /components": () => ({
    path: "/components",
    init: json("POST", { name: crypto.randomUUID(), component_type: "agent" })
  }),
  "GET /components/:component_id": () => ({ path: "/components/none" }),
  "PATCH /components/:component_id": () => ({ path: "/components/none", init: json("PATCH", { name: "a" }) }),
  "DELETE /components/:component_id": () => ({ path: "/components/none", init: remove }),
  "GET /components/:component_id/configs": () => ({ path: "/components/none/configs" }),
  "POST /components/:component_id/configs": () => ({
    path: "/components/none/configs",
    init: json("POST", { config: {} })
  }),
  "GET /components/:component_id/configs/current": () => ({ path: "/components/none/configs/current" }),
  "GET /components/:component_id/configs/:version": () => ({ path: "/components/none/configs/1" }),
  "PATCH /components/:component_id/configs/:version": () => ({
    path: "/components/none/configs/1",
    init: json("PATCH", { notes: "a" })
  }),
  "DELETE /components/:component_id/configs/:version": () => ({ path: "/components/none/configs/1", init: remove }),
  "POST /components/:component_id/configs/:version/set-current": () => ({
    path: "/components/none/configs/1/set-current",
    init: { method: "POST" }
  })
}
