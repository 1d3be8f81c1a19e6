// # Let users see only their own sessions
// Safety and limits
//
// With authorization, the user of a run is the one that the signed token names, whatever the request says. Another user
// gets a 404 for what is not theirs.
//
// Try:
//   openssl rand -hex 32 > secret
//   JWT_VERIFICATION_KEY="$(cat secret)" npm run node -- packages/examples/src/recipes/users.ts
//   TOKEN=$(KEY="$(cat secret)" npm run -s node -- --input-type=module --eval '
//     import { SignJWT } from "jose"
//     const token = new SignJWT({ sub: "ann", scopes: ["agents:run"] }).setProtectedHeader({ alg: "HS256" })
//     console.log(await token.setIssuedAt().setExpirationTime("1h").sign(Buffer.from(process.env.KEY)))
//   ')
//   curl -si localhost:7777/agents/assistant/runs -F message=Hello -F stream=false
//   curl -s localhost:7777/agents/assistant/runs -F message=Hello -F stream=false -H "authorization: Bearer $TOKEN"
//
// Change: `jwksFile` has the keys of your identity provider. Scopes say what a token may do.
import { Agent, serve } from "@svc-runtime/server"

export const applicationWith = (key: string) => ({
  agents: [Agent.make({ id: "assistant" })],
  authorization: { enabled: true, algorithm: "HS256" as const, verificationKeys: [key] }
})

if (import.meta.main) serve(applicationWith(process.env["JWT_VERIFICATION_KEY"] ?? ""))
