// # Let users see only their own sessions
// Safety and limits
//
// With authorization, the user of a run is the one that the signed token names, whatever the request says. Another user
// gets a 404 for what is not theirs.
//
// Try:
//   JWT_VERIFICATION_KEY="$(openssl rand -hex 32)" npm run node -- packages/examples/src/recipes/users.ts
//   curl -si localhost:7777/agents/assistant/runs -F message=Hello -F stream=false
//
// Change: `jwksFile` has the keys of your identity provider. Scopes say what a token may do.
import { Agent, serve } from "@svc-runtime/server"

export const applicationWith = (key: string) => ({
  agents: [Agent.make({ id: "assistant" })],
  authorization: { enabled: true, algorithm: "HS256" as const, verificationKeys: [key] }
})

if (import.meta.main) serve(applicationWith(process.env["JWT_VERIFICATION_KEY"] ?? ""))
