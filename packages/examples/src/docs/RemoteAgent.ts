import { RemoteAgent, Team } from "@svc-runtime/server"

const translator = RemoteAgent.a2a({
  id: "translator",
  role: "Translates texts",
  url: "https://agents.example/a2a/agents/translator"
})

export const desk = Team.make({ id: "desk", members: [translator] })
