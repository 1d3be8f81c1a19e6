// Mistakes in the options of a service and in what it declares.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Application } from "@svc-runtime/server"
import { Cause, ConfigProvider, Effect, Layer } from "effect"
import type { StorageOf } from "../src/Application.ts"
import { areRefused, type Mistaken, untyped } from "./Mistaken.ts"

const { AgentFactory, Team, TeamFactory } = untyped

const a = untyped.Agent.make({ id: "a" })

const budget = (more: object) => () =>
  untyped.Application.make({
    agents: [a],
    budgets: [{ name: "b", scope: "service", period: "day", amount: 5, ...more }]
  })

const percent = "The budget 'b': warnAt must be a whole percent from 1 to 99, or null, and is"
const code = "The budget 'b': currency must be the code of a currency, such as USD or EUR, and is"
const rule = "The budget 'b': unpriced must be refuse, zero, or a price such as { input: 1, output: 4 }, and is"

const mistakes: ReadonlyArray<Mistaken> = [
  [
    "serve of an agent",
    () => untyped.Application.make(a),
    "serve takes an object with options, and was given the agent 'a'. Write serve({ agents: [ … ] })"
  ],
  [
    "serve of a team",
    () => untyped.Application.make(Team.make({ id: "t", members: [a] })),
    "serve takes an object with options, and was given the team 't'. Write serve({ teams: [ … ] })"
  ],
  [
    "serve of a factory",
    () => untyped.Application.make(TeamFactory.make({ id: "t", build: () => a })),
    "serve takes an object with options, and was given a factory. Write serve({ teams: [ … ] })"
  ],
  [
    "serve factories",
    () => untyped.Application.make({ factories: [AgentFactory.make({ id: "f", build: () => a })] }),
    "serve: there is no option 'factories'. Put each into agents, teams or workflows, by what it makes"
  ],
  [
    "serve name of every object",
    () => untyped.Application.make({ agents: [a], constructor: 1 }),
    "serve: there is no option 'constructor'. docs/reference/options.md has its options"
  ],
  [
    "serve list",
    () => untyped.Application.make([a]),
    "serve takes an object with options, and was given a list. Write serve({ agents: [ … ] })"
  ],
  [
    "serve agent",
    () => untyped.Application.make({ agent: a }),
    "serve: there is no option 'agent'. Did you mean 'agents'?"
  ],
  [
    "serve agents object",
    () => untyped.Application.make({ agents: { a } }),
    "serve: agents must be a list, and is an object with a. Write its values in [ … ]"
  ],
  [
    "serve agents one",
    () => untyped.Application.make({ agents: a }),
    "serve: agents must be a list, and is the agent 'a'. Write [ … ] around it"
  ],
  [
    "serve agents options",
    () => untyped.Application.make({ agents: [{ id: "a", instructions: "x" }] }),
    "serve: agents[0] must be an agent or its factory, and is an object with id, instructions. Make it with Agent.make"
  ],
  [
    "serve agents promise",
    () => untyped.Application.make({ agents: [Promise.resolve(a)] }),
    "serve: agents[0] is a promise. Write await before it"
  ],
  [
    "serve agents team",
    () => untyped.Application.make({ agents: [Team.make({ id: "t", members: [a] })] }),
    "serve: agents[0] must be an agent or its factory, and is the team 't'. Put it into teams"
  ],
  [
    "serve port",
    () => untyped.Application.make({ agents: [a], port: 1 }),
    "serve: there is no option 'port'. Set the variable PORT of the environment"
  ],
  [
    "serve undefined",
    () => untyped.Application.make({ agents: [undefined] }),
    "serve: agents[0] is undefined. Is it exported under this name, and defined before it is used?"
  ],
  [
    "serve nothing",
    () => untyped.Application.make(),
    "serve takes an object with options, and was given undefined. Write serve({ agents: [ … ] })"
  ],
  [
    "schedule misspelt",
    () => untyped.Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", component: a, payloads: {} }] }),
    "The schedule 's': there is no option 'payloads'. Did you mean 'payload'?"
  ],
  [
    "schedule payload",
    () => untyped.Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", component: a, payload: 5 }] }),
    "The schedule 's': payload must be a text or an object, and is the number 5"
  ],
  [
    "schedule payload of an endpoint",
    () =>
      untyped.Application.make({
        schedules: [{ name: "s", cron: "0 9 * * *", endpoint: "/agents/a/runs", payload: "Hi" }]
      }),
    "The schedule 's': payload of an endpoint must be an object, and is the text 'Hi'. Write { message: … }, or give it " +
    "a component"
  ],
  [
    "schedule of a text",
    () => untyped.Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", component: "nosuch" }] }),
    "The schedule 's': component must be an agent, a team, a workflow, or an object with kind and id, and is the text " +
    "'nosuch'"
  ],
  [
    "schedule of a wrong kind",
    () =>
      untyped.Application.make({
        schedules: [{ name: "s", cron: "0 9 * * *", component: { kind: "robot", id: "a" } }]
      }),
    "The schedule 's': component.kind must be agent, team or workflow, and is the text 'robot'"
  ],
  [
    "schedule of nothing",
    () => untyped.Application.make({ schedules: [{ name: "s", cron: "0 9 * * *" }] }),
    "The schedule 's' needs a component or an endpoint, and has none"
  ],
  [
    "schedule without cron",
    () => untyped.Application.make({ schedules: [{ name: "s", component: a }] }),
    "The schedule 's' has no cron. Give it a cron expression, such as '0 9 * * *'"
  ],
  [
    "schedule timeout",
    () => untyped.Application.make({ schedules: [{ name: "s", cron: "0 9 * * *", component: a, timeout: "soon" }] }),
    "The schedule 's': timeout must be a length of time, such as \"2 seconds\" or a number of milliseconds"
  ],
  [
    "schedule without name",
    () => untyped.Application.make({ schedules: [{ cron: "0 9 * * *", component: a }] }),
    "schedules[0] has no name. Give it one: it identifies the resource"
  ],
  [
    "dataset item",
    () => untyped.Application.make({ datasets: [{ name: "d", items: [{ input: "1", expected: "2" }] }] }),
    "The dataset 'd': items[0]: there is no option 'expected'. " +
    "Its options are id, input, expectedOutput, expectedToolCalls, metadata"
  ],
  [
    "service account misspelt",
    () => untyped.Application.make({ serviceAccounts: [{ name: "ci", token: "x", scope: ["agents:run"] }] }),
    "The service account 'ci': there is no option 'scope'. Did you mean 'scopes'?"
  ]
]

const budgets: ReadonlyArray<Mistaken> = [
  ["a part as warnAt", budget({ warnAt: 0.8 }), `${percent} the number 0.8. Write 80`],
  ["a text as warnAt", budget({ warnAt: "80 %" }), `${percent} the text '80 %'. Write 80`],
  ["all as warnAt", budget({ warnAt: 100 }), `${percent} the number 100`],
  ["less than nothing as warnAt", budget({ warnAt: -5 }), `${percent} the number -5`],
  ["another rule", budget({ unpriced: "ignore" }), `${rule} the text 'ignore'`],
  ["half a price", budget({ unpriced: { input: 1 } }), `${rule} an object with input`],
  ["a number as a price", budget({ unpriced: 5 }), `${rule} the number 5`],
  ["small letters", budget({ currency: "eur" }), `${code} the text 'eur'. Write "EUR"`],
  ["a sign", budget({ currency: "€" }), `${code} the text '€'`],
  [
    "less than nothing",
    budget({ amount: -1 }),
    "The budget 'b': amount must be from 0.000000001 to 1000000, and is the number -1"
  ],
  [
    "no period",
    budget({ period: undefined }),
    "The budget 'b': A budget of the scope service needs a period: day or month"
  ],
  ["a period of a run", budget({ scope: "run" }), "The budget 'b': A budget of each run has no period. Leave it out"],
  [
    "a user of the service",
    budget({ userId: "ann" }),
    "The budget 'b': A budget of one user has the scope user, not service"
  ]
]

describe("mistakes in the options of a service", () => {
  areRefused(mistakes)

  areRefused(budgets.map(([what, make, sentence]) => [`a budget with ${what}`, make, sentence]))

  it.effect("a currency without a rate stops the start before the database opens", () =>
    Effect.gen(function*() {
      const storage: StorageOf = () => Layer.effectDiscard(Effect.die("the database was opened")) as never
      const budgets = [{ name: "b", scope: "service", period: "day", amount: 5, currency: "GBP" }] as const
      const application = Application.make({ agents: [Agent.make({ id: "a" })], budgets }, storage)
      const environment = ConfigProvider.layer(ConfigProvider.fromUnknown({ PORT: "0" }))
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(Layer.provide(application, environment))))
      assert.include(
        exit._tag === "Failure" ? Cause.pretty(exit.cause) : "",
        "The budget 'b': The currency GBP is not known. Use USD, or set its price in US dollars in " +
          "BUDGET_CURRENCIES, such as GBP=1.08"
      )
    }))
})
