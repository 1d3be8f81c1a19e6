// # Call an agent of another service over A2A
// Agents
//
// The other agent can be of any framework that speaks A2A. Here it is a member of a team, and could also be a step of a
// workflow or a tool.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   DATA_DIR=.svc-2 PORT=7778 FETCH_ALLOW=127.0.0.1:7777 npm run node -- packages/examples/src/recipes/remote.ts
//
// Change: `token` is sent to the other service. A private address has to be allowed by `FETCH_ALLOW`.
import { RemoteAgent, serve, Team } from "@svc-runtime/server"

export const applicationWith = (url: string) => {
  const other = RemoteAgent.a2a({ id: "other", role: "Answers questions", url })
  const desk = Team.make({ id: "desk", members: [other], instructions: "Give each question to a member." })
  return { agents: [other], teams: [desk] }
}

if (import.meta.main) serve(applicationWith("http://127.0.0.1:7777/a2a/agents/assistant"))
