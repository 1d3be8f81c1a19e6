// `run` of the package launches an application. Other libraries run an agent with a function of this name.
import { describe } from "@effect/vitest"
import * as Server from "@svc-runtime/server"
import { areRefused, untyped } from "./Mistaken.ts"

const { run } = untyped

const { Agent, AgentFactory, Step, Team, Workflow } = Server
const agent = Agent.make({ id: "helper" })
const workflow = Workflow.make({ id: "w", steps: [Step.make({ name: "s", run: () => 1 })] })

const takes = "run takes what Application.make gives, and was given"

describe("run of something else than an application", () => {
  areRefused([
    ["an agent", () => run(agent, "Hi"), `${takes} the agent 'helper'. Write agent.run(…) with its variable`],
    [
      "a team",
      () => run(Team.make({ id: "t", members: [agent] })),
      `${takes} the team 't'. Write team.run(…) with its variable`
    ],
    ["a workflow", () => run(workflow, {}), `${takes} the workflow 'w'. Write workflow.run(…) with its variable`],
    [
      "a factory",
      () => run(AgentFactory.make({ id: "f", build: () => agent })),
      `${takes} an object with _tag, kind, id, name, description. Write serve({ … }) with the options of a service`
    ],
    [
      "options",
      () => run({ agents: [agent] }),
      `${takes} an object with agents. Write serve({ … }) with the options of a service`
    ],
    ["a text", () => run("Hi"), `${takes} the text 'Hi'. Write serve({ … }) with the options of a service`],
    ["nothing", () => run(), `${takes} undefined. Write serve({ … }) with the options of a service`]
  ])
})
