// An agent, a team and a workflow in code. The same ones are stored by requests.
import { Agent, serve, Team, Workflow } from "@svc-runtime/server"

const agent = Agent.make({ id: "code-agent", model: "fixed" })
const team = Team.make({ id: "code-team", model: "fixed", members: [agent] })
const workflow = Workflow.make({ id: "code-workflow", steps: [agent] })

serve({ agents: [agent], teams: [team], workflows: [workflow] })
