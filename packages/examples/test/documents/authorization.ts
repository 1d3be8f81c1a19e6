import { Agent, Route, serve } from "@svc-runtime/server"

const agents = [Agent.make({ id: "assistant" })]
const report = Route.make({ method: "GET", path: "/reports/:id", scope: "reports:read", handle: () => "A report" })

// #region
serve({
  agents,
  routes: [report],
  authorization: {
    enabled: true,
    jwksFile: "jwks.json",
    audience: "svc",
    // the claim `tenant` reaches instructions and tools as a dependency, whatever the request says
    dependenciesClaims: ["tenant"],
    scopeMappings: {
      "GET /reports/*": ["finance:read"], // of the route `report`, instead of its own scope
      "GET /sessions": ["sessions:list"], // instead of sessions:read
      "GET /models": [] // every authenticated caller
    }
  }
})
// #endregion
