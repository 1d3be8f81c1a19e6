// The ids of factories, in every router that looks a component up: a factory without a request context is 400, and is
// never missing.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Mcp from "../mcp/Mcp.ts"
import { always, ask, at, badRequest, get, post, serve } from "../Wire.ts"
import { accuracy } from "./Evaluations.ts"
import { begin, datasetOf } from "./ExperimentRequests.ts"

Tier.oneIn(12)

/** A factory of each kind, under its name: `agent`, `team`, `workflow`. */
const served = Effect.gen(function*() {
  const { model } = yield* always(Script.text("Hello."))
  const member = Agent.make({ id: "member", model })
  return yield* serve({
    agents: [AgentFactory.make({ id: "agent", build: () => Agent.make({ id: "agent", model }) })],
    teams: [TeamFactory.make({ id: "team", build: () => Team.make({ id: "team", model, members: [member] }) })],
    workflows: [
      WorkflowFactory.make({
        id: "workflow",
        build: () => Workflow.make({ id: "workflow", steps: [Step.make({ name: "greet", run: () => "Hello." })] })
      })
    ]
  })
})

const kinds: ReadonlyArray<ComponentKind.ComponentKind> = ["agent", "team", "workflow"]
const context = (kind: ComponentKind.ComponentKind) => `Request context is required for factory ${kind}s`

describe("a router that gives a factory no request", () => {
  it.effect.each(["agent", "team"] as const)(
    "an evaluation of a factory of the kind %s is refused with 400",
    (kind) =>
      Effect.gen(function*() {
        const server = yield* served
        const body = { ...accuracy, input: "x", agent_id: null, [`${kind}_id`]: kind }
        badRequest(yield* post(server, "/eval-runs", body), context(kind))
        badRequest(yield* post(server, "/eval-runs", { ...body, component_version: 3 }), context(kind))
      })
  )

  it.effect.each(kinds)(
    "an experiment with a factory of the kind %s is refused with 400",
    (kind) =>
      Effect.gen(function*() {
        const server = yield* served
        const body = { [`${kind}_id`]: kind, scorers: [{ type: "exact" }] }
        const dataset = yield* datasetOf(server)
        badRequest(yield* begin(server, dataset, body), context(kind))
        badRequest(yield* begin(server, dataset, { ...body, component_version: "one" }), context(kind))
      })
  )
})

const text = [{ kind: "text", text: "hi" }]
const message = { message: { kind: "message", messageId: "m", role: "user", parts: text } }
const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 7, method, params })
const hi = { role: "user", content: "hi" }

/** Requests that start runs or read, by the path of the component and its id. They have a context. */
const requests: ReadonlyArray<readonly [string, (path: string, id: string) => readonly [string, object?]]> = [
  ["the details", (path) => [path]],
  ["an A2A card", (path) => [`/a2a${path}/.well-known/agent-card.json`]],
  ["A2A 0.3", (path) => [`/a2a${path}/v1/message:send`, rpc("message/send", message)]],
  ["A2A over JSON-RPC", (path) => [`/a2a${path}`, rpc("message/send", message)]],
  ["AG-UI", (path) => [`${path}/agui`, { threadId: "s", runId: "r", messages: [{ id: "m", ...hi }] }]],
  [
    "the chat",
    (
      path
    ) => [`${path}/chat`, { id: "s", messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }] }]
  ],
  ["completions of OpenAI", (_, model) => ["/v1/chat/completions", { model, messages: [hi] }]],
  ["responses of OpenAI", (_, model) => ["/v1/responses", { model, input: "hi" }]],
  ["a schedule", (path) => ["/schedules", {
    name: "daily",
    cron_expr: "0 9 * * *",
    endpoint: `${path}/runs`,
    payload: { message: "hi" }
  }]]
]

describe("a router that gives a factory its request", () => {
  for (const kind of kinds) {
    const path = `/${ComponentKind.descriptions[kind].resource}/${kind}`
    it.effect.each(requests)(`%s finds a factory of the kind ${kind}`, ([, requestOf]) =>
      Effect.gen(function*() {
        const server = yield* served
        const [at, body] = requestOf(path, kind)
        const answer = yield* body === undefined ? get(server, at) : post(server, at, body)
        assert.isBelow(answer.status, 300, answer.text)
        assert.notMatch(answer.text.slice(-1500), /not found|RUN_ERROR|"error":[^n]/i)
      }))

    it.effect(`the runs of a factory of the kind ${kind} are read, forked and continued`, () =>
      Effect.gen(function*() {
        const server = yield* served
        const body = new URLSearchParams({ message: "hi", session_id: "s", run_id: "r", stream: "false" })
        assert.strictEqual((yield* ask(server, `${path}/runs`, { method: "POST", body })).status, 200)
        const reads = ["runs?session_id=s", "runs/r?session_id=s", "runs/r/events?session_id=s"]
        const ofMessages = kind === "workflow" ? [] : ["runs/r/checkpoints?session_id=s"]
        for (const read of [...reads, ...ofMessages]) {
          const answer = yield* get(server, `${path}/${read}`)
          assert.strictEqual(answer.status, 200, `${read}: ${answer.text}`)
        }
        if (kind !== "workflow") {
          const forked = yield* post(server, `${path}/sessions/s/fork`, {})
          assert.isBelow(forked.status, 300, forked.text)
        }
        const session = yield* Mcp.open(server)
        const result = yield* Mcp.call(session, `run_${kind}`, { [`${kind}_id`]: kind, message: "hi" })
        assert.isNotTrue(at(result, "isError"), JSON.stringify(result))
      }))
  }
})
