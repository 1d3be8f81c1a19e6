// Mistakes in the options of a service and in what it declares.
import { describe } from "@effect/vitest"
import { areRefused, type Mistaken, untyped } from "./Mistaken.ts"

const { Agent, AgentFactory, Application, Team, TeamFactory } = untyped

const a = Agent.make({ id: "a" })

const mistakes: ReadonlyArray<Mistaken> = [
  [
    "serve of an agent",
    () => Application.make(a),
    "serve takes an object with options, and was given the agent 'a'. Write serve({ agents: [ … ] })"
  ],
  [
    "serve of a team",
    () => Application.make(Team.make({ id: "t", members: [a] })),
    "serve takes an object with options, and was given the team 't'. Write serve({ teams: [ … ] })"
  ],
  [
    "serve of a factory",
    () => Application.make(TeamFactory.make({ id: "t", build: () => a })),
    "serve takes an object with options, and was given a factory. Write serve({ teams: [ … ] })"
  ],
  [
    "serve factories",
    () => Application.make({ factories: [AgentFactory.make({ id: "f", build: () => a })] }),
    "serve: there is no option 'factories'. Put each into agents, teams or workflows, by what it makes"
  ],
  [
    "serve name of every object",
    () => Application.make({ agents: [a], constructor: 1 }),
    "serve: there is no option 'constructor'. docs/reference/options.md has its options"
  ],
  [
    "serve list",
    () => Application.make([a]),
    "serve takes an object with options, and was given a list. Write serve({ agents: [ … ] })"
  ],
  ["serve agent", () => Application.make({ agent: a }), "serve: there is no option 'agent'. Did you mean 'agents'?"],
  [
    "serve agents object",
    () => Application.make({ agents: { a } }),
    "serve: agents must be a list, and is an object with a. Write its values in [ … ]"
  ],
  [
    "serve agents one",
    () => Application.make({ agents: a }),
    "serve: agents must be a list, and is the agent 'a'. Write [ … ] around it"
  ],
  [
    "serve agents options",
    () => Application.make({ agents: [{ id: "a", instructions: "x" }] }),
    "serve: agents[0] must be an agent or its factory, and is an object with id, instructions. Make it with Agent.make"
  ],
  [
    "serve agents promise",
    () => Application.make({ agents: [Promise.resolve(a)] }),
    "serve: agents[0] is a promise. Write await before it"
  ],
  [
    "serve agents team",
    () => Application.make({ agents: [Team.make({ id: "t", members: [a] })] }),
    "serve: agents[0] must be an agent or its factory, and is the team 't'. Put it into teams"
  ],
  [
    "serve port",
    () => Application.make({ agents: [a], port: 1 }),
    "serve: there is no option 'port'. Set the variable PORT of the environment"
  ],
  [
    "serve undefined",
    () => Application.make({ agents: [undefined] }),
    "serve: agents[0] is undefined. Is it exported under this name, and defined before it is used?"
  ],
  [
    "serve nothing",
    () => Application.make(),
    "serve takes an object with options, and was given undefined. Write serve({ agents: [ … ] })"
  ],
  [
    "schedule misspelt",
    () => Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", component: a, payloads: {} }] }),
    "The schedule 's': there is no option 'payloads'. Did you mean 'payload'?"
  ],
  [
    "schedule payload",
    () => Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", component: a, payload: 5 }] }),
    "The schedule 's': payload must be a text or an object, and is the number 5"
  ],
  [
    "schedule payload of an endpoint",
    () =>
      Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", endpoint: "/agents/a/runs", payload: "Hi" }] }),
    "The schedule 's': payload of an endpoint must be an object, and is the text 'Hi'. Write { message: … }, or give it " +
    "a component"
  ],
  [
    "schedule of a text",
    () => Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", component: "nosuch" }] }),
    "The schedule 's': component must be an agent, a team, a workflow, or an object with kind and id, and is the text " +
    "'nosuch'"
  ],
  [
    "schedule of a wrong kind",
    () => Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", component: { kind: "robot", id: "a" } }] }),
    "The schedule 's': component.kind must be agent, team or workflow, and is the text 'robot'"
  ],
  [
    "schedule of nothing",
    () => Application.make({ schedules: [{ name: "s", cron: "0 9 * * *" }] }),
    "The schedule 's' needs a component or an endpoint, and has none"
  ],
  [
    "schedule without cron",
    () => Application.make({ schedules: [{ name: "s", component: a }] }),
    "The schedule 's' has no cron. Give it a cron expression, such as '0 9 * * *'"
  ],
  [
    "schedule timeout",
    () => Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", component: a, timeout: "soon" }] }),
    "The schedule 's': timeout must be a length of time, such as \"2 seconds\" or a number of milliseconds"
  ],
  [
    "schedule without name",
    () => Application.make({ schedules: [{ cron: "0 9 * * *", component: a }] }),
    "schedules[0] has no name. Give it one: it identifies the resource"
  ],
  [
    "dataset item",
    () => Application.make({ datasets: [{ name: "d", items: [{ input: "1", expected: "2" }] }] }),
    "The dataset 'd': items[0]: there is no option 'expected'. " +
    "Its options are id, input, expectedOutput, expectedToolCalls, metadata"
  ],
  [
    "service account misspelt",
    () => Application.make({ serviceAccounts: [{ name: "ci", token: "x", scope: ["agents:run"] }] }),
    "The service account 'ci': there is no option 'scope'. Did you mean 'scopes'?"
  ]
]

describe("mistakes in the options of a service", () => areRefused(mistakes))
