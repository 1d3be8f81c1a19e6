declare const process: { readonly env: Readonly<Record<string, string | undefined>> }

// #region
import { RemoteAgent, serve, Team } from "@svc-runtime/server"

const translator = RemoteAgent.a2a({
  id: "translator",
  role: "Translates texts",
  url: "https://agents.example/a2a/agents/translator",
  token: process.env.AGENTS_TOKEN
})

const desk = Team.make({ id: "desk", members: [translator], instructions: "Have texts translated." })

serve({ agents: [translator], teams: [desk] })
// #endregion
