import { Agent, serve } from "@svc/server"

const agents = [Agent.make({ id: "assistant" })]

// #region
serve({
  agents,
  authorization: {
    enabled: true,
    jwksFile: "jwks.json",
    audience: "svc",
    // the claim `tenant` reaches instructions and tools as a dependency, whatever the request says
    dependenciesClaims: ["tenant"],
    scopeMappings: {
      "GET /reports/*": ["reports:read"], // a route of your own
      "GET /sessions": ["sessions:list"], // instead of sessions:read
      "GET /models": [] // every authenticated caller
    }
  }
})
// #endregion
