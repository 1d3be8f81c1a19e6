// Which payloads of declared schedules stop the start of a service: such with which no run could begin.
import { Agent, AgentFactory, Step, Team, Workflow } from "@svc-runtime/server"
import { assert, describe, it } from "vitest"
import { z } from "zod"
import { scriptedModel, testService } from "../src/index.ts"

type Services = NonNullable<Parameters<typeof testService>[0]>

const started = async (options: Services): Promise<string> => {
  try {
    await using service = await testService(options)
    return `${(await service.client.schedules.list()).data.length} schedule`
  } catch (error) {
    return (error as Error).message.replace(/^What the application declares cannot be used\. /, "")
  }
}

const scheduled = (component: unknown, payload: unknown): Pick<Services, "schedules"> => ({
  schedules: [{ name: "daily", cron: "0 9 * * *", component: component as Agent.Agent, payload: payload as string }]
})

const withInput = (inputSchema: unknown, message: unknown): Services => {
  const steps = [Step.make({ name: "s", run: ({ input }) => JSON.stringify(input) })]
  const workflow = Workflow.make({ id: "w", inputSchema: inputSchema as z.ZodType<Record<string, unknown>>, steps })
  return { workflows: [workflow], ...scheduled(workflow, { message }) }
}

const structured = (validate: (value: unknown) => unknown) => {
  const jsonSchema = () => ({ type: "object", properties: { a: { type: "number" } }, required: ["a"] })
  return { "~standard": { version: 1, vendor: "own", validate, jsonSchema: { input: jsonSchema, output: jsonSchema } } }
}

const closed = { type: "object", properties: { a: { type: "number" } }, additionalProperties: false }

describe("the message of a declared schedule", () => {
  it.each<[string, unknown, unknown]>([
    ["a number that the schema makes of a text", z.object({ a: z.coerce.number() }), { a: "1" }],
    ["a value that the schema replaces", z.object({ a: z.number().catch(1) }), { a: "x" }],
    ["a value that is converted before", z.object({ a: z.preprocess(Number, z.number()) }), { a: "5" }],
    ["a schema whose code takes more than it shows", structured((value) => ({ value })), { a: "x" }],
    ["a key that is left out of what a run gets", closed, { a: 1, b: 2 }],
    ["what the schema refuses at this moment", z.object({ a: z.number().refine(() => false, "closed") }), { a: 1 }],
    ["a check that does not settle", structured(() => new Promise(() => {})), { a: "x" }]
  ])("a service starts with %s", async (_, schema, message) => {
    assert.strictEqual(await started(withInput(schema, message)), "1 schedule")
  })

  it("a check that does not settle does not stop a service whose time is held", async () => {
    const options = withInput(structured(() => new Promise(() => {})), { a: "x" })
    assert.strictEqual(await started({ ...options, startAt: "2026-01-01T08:00:00Z" }), "1 schedule")
  })

  it.each<[string, unknown, unknown, string]>([
    [
      "its structure and its author refuse",
      z.object({ a: z.number() }),
      { a: "x" },
      ".a: Invalid input: expected number"
    ],
    ["not even a conversion makes right", z.object({ a: z.coerce.number() }), { a: "x" }, ".a: Invalid input"],
    ["a schema of its own refuses", structured(() => ({ issues: [{ message: "no" }] })), { a: "x" }, ": no"],
    [
      "a check throws at",
      structured(() => {
        throw new Error("boom")
      }),
      { a: "x" },
      ": boom"
    ]
  ])("a service does not start with a value that %s", async (_, schema, message, problem) => {
    assert.include(
      await started(withInput(schema, message)),
      `The schedule 'daily': The payload does not start a run: message${problem}`
    )
  })
})

const dependencies = z.object({ tenant: z.string() })
const tenants = Agent.make({ id: "tenants", model: scriptedModel([]), runSchemas: { dependencies } })

describe("the dependencies of a declared schedule", () => {
  it.each<[string, unknown, string]>([
    ["none", "Hi", "dependencies.tenant: Invalid input: expected string"],
    ["others", { message: "Hi", dependencies: { tenant: 1 } }, "dependencies.tenant: Invalid input: expected string"],
    ["no object", { message: "Hi", dependencies: "acme" }, "dependencies: It is not a JSON object"]
  ])("a service does not start if its agent requires some and it has %s", async (_, payload, problem) => {
    assert.include(
      await started({ agents: [tenants], ...scheduled(tenants, payload) }),
      `The schedule 'daily': The payload does not start a run: ${problem}`
    )
  })

  it("a service does not start if a member requires them", async () => {
    const team = Team.make({ id: "team", model: scriptedModel([]), members: [tenants] })
    assert.include(
      await started({ agents: [tenants], teams: [team], ...scheduled(team, "Hi") }),
      "dependencies.tenant: Invalid input: expected string, received undefined (of 'tenants')"
    )
  })

  it.each<[string, z.ZodType, unknown]>([
    ["they fit", dependencies, { tenant: "acme" }],
    ["they are converted", z.object({ tenant: z.coerce.number() }), { tenant: "1" }],
    ["they are refused at this moment only", z.object({ tenant: z.string().refine(() => false) }), { tenant: "acme" }]
  ])("a service starts if %s", async (_, dependencies, given) => {
    const agent = Agent.make({ id: "tenants", model: scriptedModel([]), runSchemas: { dependencies } })
    const payload = { message: "Hi", dependencies: given }
    assert.strictEqual(await started({ agents: [agent], ...scheduled(agent, payload) }), "1 schedule")
  })
})

const factoryOf = (inputSchema: z.ZodType) =>
  AgentFactory.make({
    id: "built",
    inputSchema,
    build: () => Agent.make({ id: "built", model: scriptedModel(["Yes"]) })
  })

describe("the factory_input of a declared schedule", () => {
  const factory = factoryOf(z.object({ lang: z.string() }))

  it.each<[string, unknown, string]>([
    ["none", "Hi", "factory_input validation failed: lang: Invalid input"],
    [
      "another one",
      { message: "Hi", factory_input: { lang: 5 } },
      "factory_input validation failed: lang: Invalid input"
    ],
    ["no JSON", { message: "Hi", factory_input: "{" }, "factory_input must be valid JSON"]
  ])("a service does not start if its factory requires some and it has %s", async (_, payload, problem) => {
    assert.include(
      await started({ agents: [factory], ...scheduled(factory, payload) }),
      `The schedule 'daily': The payload does not start a run: ${problem}`
    )
  })

  it.each<[string, z.ZodType, unknown]>([
    ["it fits", z.object({ lang: z.string() }), { lang: "de" }],
    ["it is converted", z.object({ lang: z.coerce.number() }), { lang: "1" }],
    ["it is refused at this moment only", z.object({ lang: z.string().refine(() => false) }), { lang: "de" }]
  ])("a service starts if %s", async (_, inputSchema, factory_input) => {
    const built = factoryOf(inputSchema)
    const payload = { message: "Hi", factory_input }
    assert.strictEqual(await started({ agents: [built], ...scheduled(built, payload) }), "1 schedule")
  })

  it("a request for a schedule without it is refused", async () => {
    await using service = await testService({ agents: [factory] })
    const created = service.client.schedules.create({
      name: "weekly",
      cron_expr: "0 9 * * 1",
      endpoint: "/agents/built/runs",
      payload: { message: "Hi" }
    })
    assert.include(
      String(await created.then(() => "created", (error: unknown) => error)),
      "The payload does not start a run: factory_input validation failed: lang"
    )
  })
})
