// The requests for the endpoints of stored components.
import { json, type Request, type Subject } from "./Subject.ts"

const remove = { method: "DELETE" }

const named = () => json("POST", { name: crypto.randomUUID() })
const renamed = json("PATCH", { name: "a" })

/** Registered components do not change. */
export const componentRequests: Readonly<Record<string, (subject: Subject) => Request>> = {
  "POST /agents": () => ({ path: "/agents", init: named() }),
  "PATCH /agents/:agent_id": ({ agent }) => ({ path: `/agents/${agent}`, init: renamed }),
  "DELETE /agents/:agent_id": ({ agent }) => ({ path: `/agents/${agent}`, init: remove }),
  "POST /teams": () => ({ path: "/teams", init: named() }),
  "PATCH /teams/:team_id": () => ({ path: "/teams/desk", init: renamed }),
  "DELETE /teams/:team_id": () => ({ path: "/teams/desk", init: remove }),
  "POST /workflows": () => ({ path: "/workflows", init: named() }),
  "PATCH /workflows/:workflow_id": () => ({ path: "/workflows/brief", init: renamed }),
  "DELETE /workflows/:workflow_id": () => ({ path: "/workflows/brief", init: remove }),
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
