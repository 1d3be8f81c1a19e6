import { Agent, serve } from "@svc-runtime/server"

// #region
serve({
  agents: [Agent.make({ id: "desk" })],
  authorization: {
    enabled: true,
    jwksFile: "jwks.json",
    roles: {
      support: ["agents:desk:run", "sessions:read"],
      approver: ["approvals:read", "approvals:write"]
    },
    // Keycloak sends groups in `realm_access.roles`, and Entra and Okta in `groups`
    groupsClaim: "realm_access.roles",
    groupRoles: { "support-team": "support", leads: ["support", "approver"] },
    tenantClaim: "org_id"
  }
})
// #endregion
