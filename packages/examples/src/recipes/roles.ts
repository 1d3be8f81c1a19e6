// # Roles of groups, and tenants
// Safety and limits
//
// Groups of the identity provider have roles, and roles have scopes. The claim `org_id` is the tenant of a user: the
// same subject in two tenants is two users. A lead decides approvals of others only with `USER_ISOLATION=false`.
//
// Try:
//   openssl rand -hex 32 > secret
//   JWT_VERIFICATION_KEY="$(cat secret)" npm run node -- packages/examples/src/recipes/roles.ts
//   TOKEN=$(KEY="$(cat secret)" npm run -s node -- --input-type=module --eval '
//     import { SignJWT } from "jose"
//     const claims = { sub: "ann", org_id: "acme", groups: ["support-team"] }
//     const token = new SignJWT(claims).setProtectedHeader({ alg: "HS256" })
//     console.log(await token.setIssuedAt().setExpirationTime("1h").sign(Buffer.from(process.env.KEY)))
//   ')
//   curl -s localhost:7777/agents/desk/runs -F message=Hello -F stream=false -H "authorization: Bearer $TOKEN"
//
// Change: `svc roles create` stores roles beside those of code. `groupsClaim` can be a path, such as
// `realm_access.roles`.
import { Agent, serve } from "@svc-runtime/server"

export const applicationWith = (key: string) => ({
  agents: [Agent.make({ id: "desk" })],
  authorization: {
    enabled: true,
    algorithm: "HS256" as const,
    verificationKeys: [key],
    roles: {
      support: ["agents:desk:read", "agents:desk:run", "sessions:read"],
      lead: ["approvals:read", "approvals:write"]
    },
    groupsClaim: "groups",
    groupRoles: { "support-team": "support", leads: ["support", "lead"] },
    tenantClaim: "org_id"
  }
})

if (import.meta.main) serve(applicationWith(process.env["JWT_VERIFICATION_KEY"] ?? ""))
