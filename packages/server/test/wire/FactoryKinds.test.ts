// What the specification says of factories holds for all three kinds of them: agents, teams and workflows.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import type { FactoryContext } from "@svc-runtime/agents/factory/FactoryContext"
import { FactoryPermissionError, FactoryValidationError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, closed, token } from "../authorization/Closed.ts"
import { ask, at, badRequest, failed, type Fields, frames, get, kindsOf, list, notFound, serve } from "../Wire.ts"
import { nothingStored, Tenant, tenant } from "./Factories.ts"

Tier.oneIn(10)

type Context = FactoryContext<typeof Tenant.Type>

/** What a factory does beside making its component, which it is given. */
type Build = <C>(context: Context, component: () => C) => unknown

interface Kind {
  readonly name: string
  readonly Name: string
  readonly id: string
  readonly events: readonly [string, string]
  readonly serving: (build: Build, options?: TestServer.Options) => ReturnType<typeof serve>
}

const speaking = Script.make(Array.from({ length: 20 }, () => [Script.text("Hello.")]))
const labels = { id: "made", name: "Made", description: "Made for each request", inputSchema: Tenant }

const kinds: ReadonlyArray<Kind> = [
  {
    name: "agent",
    Name: "Agent",
    id: "agent_id",
    events: ["RunStarted", "RunCompleted"],
    serving: Effect.fnUntraced(function*(build, options) {
      const { model } = yield* speaking
      const make = () => Agent.make({ id: "else", model })
      return yield* serve({
        agents: [AgentFactory.make({ ...labels, build: (context) => build(context, make) as never })],
        ...options
      })
    })
  },
  {
    name: "team",
    Name: "Team",
    id: "team_id",
    events: ["TeamRunStarted", "TeamRunCompleted"],
    serving: Effect.fnUntraced(function*(build, options) {
      const { model } = yield* speaking
      const make = () => Team.make({ id: "else", model, members: [Agent.make({ id: "member", model })] })
      return yield* serve({
        teams: [TeamFactory.make({ ...labels, build: (context) => build(context, make) as never })],
        ...options
      })
    })
  },
  {
    name: "workflow",
    Name: "Workflow",
    id: "workflow_id",
    events: ["WorkflowStarted", "WorkflowCompleted"],
    serving: Effect.fnUntraced(function*(build, options) {
      const make = () => Workflow.make({ id: "else", steps: [Step.make({ name: "greet", run: () => "Hello." })] })
      return yield* serve({
        workflows: [WorkflowFactory.make({ ...labels, build: (context) => build(context, make) as never })],
        ...options
      })
    })
  }
]

for (const { events, id, name, Name, serving } of kinds) {
  const path = `/${name}s/made`

  const asking = (fields: Fields) => ({
    path: `${path}/runs`,
    init: {
      method: "POST",
      body: new URLSearchParams({ message: "x", session_id: "s", run_id: "r", stream: "false", ...fields })
    }
  })
  const run = (server: TestServer.TestServer, fields: Fields) => {
    const { init, path } = asking(fields)
    return ask(server, path, init)
  }

  /** A service with the factory, and the input that the factory got. */
  const started = Effect.fnUntraced(function*(options?: TestServer.Options) {
    const seen: Array<Context> = []
    const server = yield* serving((context, component) => {
      seen.push(context)
      return component()
    }, options)
    return { seen, server }
  })

  describe(`a factory of ${name}s`, () => {
    it.effect("a factory makes one component for each run, under its own id, with a warning where that has another one", () =>
      Effect.gen(function*() {
        const { seen, server } = yield* started()
        const answer = yield* run(server, tenant("acme"))
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepInclude(answer.json, {
          status: "COMPLETED",
          content: "Hello.",
          [id]: "made",
          [`${name}_name`]: "made"
        })
        yield* run(server, { run_id: "r2", ...tenant("globex") })
        assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "acme" }, { tenant: "globex" }])
        assert.deepInclude(seen[0], { id: "made", sessionId: "s", userId: null })
        assert.deepStrictEqual(
          server.logs.filter(({ level }) => level === "WARN").map(({ message }) => message)[0],
          `The ${name} factory 'made' gave the ${name} 'else', which is called 'made' here`
        )
        assert.strictEqual(at((yield* get(server, "/sessions/s")).json, id), "made")
        notFound(yield* get(server, `/${name}s/else`))
      }))

    it.effect("the events of every run are stored, even of one without a stream", () =>
      Effect.gen(function*() {
        const { server } = yield* started()
        yield* run(server, tenant("acme"))
        const all = yield* get(server, `${path}/runs/r/events?session_id=s`)
        const kinds = kindsOf(frames(all.text))
        assert.deepStrictEqual([kinds[0], kinds.at(-1)], [...events])
      }))

    it.effect("a run of a factory is streamed, and can be in the background", () =>
      Effect.gen(function*() {
        const { server } = yield* started()
        const streamed = frames((yield* run(server, { stream: "true", ...tenant("acme") })).text)
        assert.deepStrictEqual([streamed[0]?.kind, streamed.at(-1)?.kind], [...events])
        assert.strictEqual(at(streamed.at(-1)?.data, id), "made")
        const accepted = yield* run(server, { background: "true", run_id: "later", ...tenant("acme") })
        assert.strictEqual(accepted.status, 202)
        const poll = get(server, `${path}/runs/later?session_id=s&${new URLSearchParams(tenant("acme"))}`)
        const ended = yield* Effect.repeat(poll, {
          until: ({ json }) => !["PENDING", "RUNNING"].includes(String(at(json, "status")))
        })
        assert.deepInclude(ended.json, { status: "COMPLETED", content: "Hello." })
      }))

    const refused: ReadonlyArray<readonly [string, string | undefined, RegExp]> = [
      ["a value of the wrong type", `{"tenant": 5}`, /^factory_input validation failed: tenant: /],
      ["nothing, where a field is required", undefined, /^factory_input validation failed: tenant: /],
      ["text that is no JSON", "not json", /^factory_input must be valid JSON$/],
      ["a list", "[1]", /^factory_input must be a JSON object, got array$/],
      ["null", "null", /^factory_input must be a JSON object, got null$/]
    ]
    for (const [what, text, detail] of refused) {
      it.effect(`a factory is not called for ${what}, streamed or not`, () =>
        Effect.gen(function*() {
          const { seen, server } = yield* started()
          const input: Fields = text === undefined ? {} : { factory_input: text }
          for (const stream of ["false", "true"]) badRequest(yield* run(server, { stream, ...input }), detail)
          assert.strictEqual(seen.length, 0)
          yield* nothingStored(server)
        }))
    }

    const failing: ReadonlyArray<readonly [string, string, Build]> = [
      ["throws", "failed", () => {
        throw new Error("hunter2")
      }],
      ["rejects", "failed", () => Promise.reject(new Error("hunter2"))],
      ["dies", "failed", () => Effect.die(new Error("hunter2"))],
      ["gives nothing", `gave something that is no ${name}`, () => undefined],
      ["gives options", `gave something that is no ${name}`, () => ({ id: "made", members: [], steps: [] })]
    ]
    for (const [what, how, build] of failing) {
      it.effect(`a factory that ${what} is a FactoryError, streamed or not, and only the log knows why`, () =>
        Effect.gen(function*() {
          const server = yield* serving(build)
          for (const stream of ["false", "true"]) {
            const answer = yield* run(server, { stream, ...tenant("acme") })
            failed(
              answer,
              500,
              "INTERNAL_SERVER_ERROR",
              new RegExp(`^${Name} factory error: The ${name} factory 'made' ${how} \\(FactoryError\\)`)
            )
            assert.notInclude(answer.text, "hunter2")
          }
          yield* nothingStored(server)
        }))
    }

    it.effect("a factory that returns a component of another kind is a FactoryError", () =>
      Effect.gen(function*() {
        const agent = Agent.make({ id: "a" })
        const others = [
          ...(name === "agent" ? [] : [agent]),
          ...(name === "team" ? [] : [Team.make({ id: "t", members: [agent] })]),
          ...(name === "workflow" ? [] : [Workflow.make({ id: "w", run: () => "x" })])
        ]
        for (const other of others) {
          failed(yield* run(yield* serving(() => other), tenant("acme")), 500, "INTERNAL_SERVER_ERROR")
        }
      }))

    it.effect("a factory refuses callers and input with its own errors", () =>
      Effect.gen(function*() {
        const denied = yield* serving(() => Promise.reject(new FactoryPermissionError({ message: "Not your plan" })))
        const unfit = yield* serving(() => Effect.fail(new FactoryValidationError({ message: "no such tenant" })))
        for (const stream of ["false", "true"]) {
          failed(yield* run(denied, { stream, ...tenant("acme") }), 403, "FORBIDDEN", "Not your plan")
          const answer = yield* run(unfit, { stream, ...tenant("acme") })
          badRequest(answer, "factory_input validation failed: no such tenant")
        }
        yield* nothingStored(denied)
        yield* nothingStored(unfit)
      }))

    it.effect("a factory gets the caller of the token, and trusts nothing else", () =>
      Effect.gen(function*() {
        const { seen, server } = yield* started({ authorization: yield* closed })
        const ann = yield* token("ann", `${name}s:run`)
        const answer = yield* call(server, asking({ user_id: "bob", trusted: "{}", ...tenant("acme") }), ann)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(String(seen[0]?.userId), "ann")
        assert.strictEqual(seen[0]?.trusted.claims["sub"], "ann")
        assert.deepStrictEqual(seen[0]?.trusted.scopes, new Set([`${name}s:run`]))
      }))

    it.effect("a factory's resources are closed when the run has ended, and when there is none", () =>
      Effect.gen(function*() {
        const open = new Set<number>()
        let count = 0
        const server = yield* serving(({ onClose }, component) => {
          const one = count++
          open.add(one)
          onClose(() => void open.delete(one))
          return component()
        })
        yield* run(server, tenant("acme"))
        yield* Effect.repeat(Effect.yieldNow, { until: () => open.size === 0 })
        // its id is taken
        failed(yield* run(server, tenant("acme")), 409, "CONFLICT")
        assert.deepStrictEqual([count, open.size], [2, 0])
      }))

    it.effect("a factory is not called to watch, resume or cancel", () =>
      Effect.gen(function*() {
        const { seen, server } = yield* started()
        yield* run(server, { stream: "true", ...tenant("acme") })
        const body = new URLSearchParams({ session_id: "s" })
        assert.match((yield* ask(server, `${path}/runs/r/resume`, { method: "POST", body })).text, /event: replay\n/)
        const cancelled = yield* ask(server, `${path}/runs/r/cancel`, { method: "POST" })
        assert.deepStrictEqual([cancelled.status, cancelled.text], [200, "{}"])
        assert.strictEqual((yield* get(server, `${path}/runs/r/events?session_id=s`)).status, 200)
        assert.strictEqual(seen.length, 1)
      }))

    it.effect("a factory is shown with the schema of its input, and counted, without being called", () =>
      Effect.gen(function*() {
        const { seen, server } = yield* started()
        const schema = {
          type: "object",
          properties: { tenant: { type: "string" } },
          required: ["tenant"],
          additionalProperties: true
        }
        const { inputSchema: _, ...common } = labels
        const shown = {
          ...common,
          db_id: "main-db",
          is_factory: true,
          is_component: false,
          factory_input_schema: schema
        }
        const whole = { ...shown, input_schema: schema }
        const detail = name === "workflow" ? { ...whole, workflow_agent: false } : whole
        assert.deepStrictEqual((yield* get(server, path)).json, detail)
        assert.deepStrictEqual(list((yield* get(server, `/${name}s`)).json), [name === "workflow" ? shown : whole])
        assert.strictEqual(at((yield* get(server, "/info")).json, `${name}_count`), 1)
        const configured = at((yield* get(server, "/config")).json, `${name}s`, 0)
        assert.deepStrictEqual(configured, name === "workflow" ? shown : { ...common, db_id: "main-db" })
        assert.strictEqual(seen.length, 0)
      }))
  })
}
