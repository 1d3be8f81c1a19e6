// A team that shares what it learns: the members and the leader have one namespace, so what one of them saves is in the
// system message of the others, in every session and after a restart. It works on the demo model, without a key:
//
//   curl -s http://127.0.0.1:7777/teams/desk/runs -F stream=false \
//     -F message='Save the knowledge "Deploys are slow on Mondays"'
//   curl -s http://127.0.0.1:7777/learnings
//   curl -s http://127.0.0.1:7777/teams/desk/runs -F stream=false -F message='Search the learnings about deploys'
import { Agent, serve, Team } from "@svc-runtime/server"

const learning = { types: ["learned_knowledge", "entity_memory"], namespace: "desk" } as const

const helper = Agent.make({ id: "helper", role: "Answers questions about deploys", learning })

const scribe = Agent.make({ id: "scribe", role: "Keeps track of customers", learning })

export const desk = Team.make({
  id: "desk",
  instructions: "Save what would help in other conversations.",
  members: [helper, scribe],
  learning
})

if (import.meta.main) serve({ teams: [desk], agents: [helper, scribe], name: "Desk" })
