// Paused runs over MCP: the response has what they wait for, the client
// sends it back with decisions, and the run continues where it would continue over REST.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { mint, serveClosed, token } from "../authorization/Closed.ts"
import { at, list, serve } from "../Wire.ts"
import { call, messages, noRun, open, post, refused, request, type Session } from "./Mcp.ts"

Tier.oneIn(8)

const mail = Schema.Struct({ to: Schema.String, text: Schema.String })
const asking = [[Script.toolCall("send_mail", { to: "a@b.c", text: "hi" }, "call_1")], [Script.text("Done.")]]

/** An agent whose tool writes down what it was called with. */
const mailer = Effect.fnUntraced(function*(
  options: Partial<Tool.Options<typeof mail>> = { requiresConfirmation: true },
  turns: ReadonlyArray<Script.Turn> = asking
) {
  const sent: Array<unknown> = []
  const { model } = yield* Script.make(turns)
  const send_mail = Tool.make({
    name: "send_mail",
    parameters: mail,
    ...(options.externalExecution === true ? {} : { execute: (input: unknown) => (sent.push(input), "sent") }),
    ...options
  })
  return { agent: Agent.make({ id: "assistant", name: "Mailer", model, tools: [send_mail] }), sent }
})

type Structured = Readonly<Record<string, unknown>>
const structuredOf = (result: unknown) => at(result, "structuredContent") as Structured

const start = (session: Session) =>
  Effect.map(call(session, "run_agent", { agent_id: "assistant", message: "mail", session_id: "s" }), structuredOf)

const paused = Effect.fnUntraced(function*(options?: Partial<Tool.Options<typeof mail>>) {
  const { agent, sent } = yield* mailer(options)
  const session = yield* open(yield* serve({ agents: [agent] }))
  const run = yield* start(session)
  assert.strictEqual(run["status"], "PAUSED")
  const continueRun = (more: object = {}) =>
    call(session, "continue_run", { run_id: run["run_id"], session_id: "s", agent_id: "assistant", ...more })
  const [requirement] = list(run, "requirements")
  return { continueRun, requirement: requirement as Structured, run, sent, session }
})

describe("continue_run", () => {
  it.effect("continue_run makes the call that was confirmed, and responds with the result of the run", () =>
    Effect.gen(function*() {
      const { continueRun, requirement, run, sent } = yield* paused()
      const result = yield* continueRun({ requirements: [{ ...requirement, confirmation: true }] })
      assert.deepStrictEqual(at(result, "content"), [{ type: "text", text: "Done." }])
      assert.deepStrictEqual(structuredOf(result), { run_id: run["run_id"], session_id: "s", status: "COMPLETED" })
      assert.deepStrictEqual(sent, [{ to: "a@b.c", text: "hi" }])
    }))

  it.effect("continue_run does not make a call that was rejected, misspelt, or without a decision", () =>
    Effect.gen(function*() {
      const { continueRun, requirement, sent } = yield* paused()
      const misspelt = yield* continueRun({ requirements: [{ ...requirement, confirmation: true, confirm: true }] })
      assert.match(String(at(misspelt, "content", 0, "text")), /requirements\.0\.confirm\b/)
      for (const decision of [{}, undefined]) {
        const result = yield* continueRun(
          decision === undefined ? {} : { requirements: [{ ...requirement, ...decision }] }
        )
        assert.match(String(at(result, "content", 0, "text")), /unresolved HITL requirements/)
      }
      const rejection = { ...requirement, confirmation: false, confirmation_note: "no" }
      assert.strictEqual(structuredOf(yield* continueRun({ requirements: [rejection] }))["status"], "COMPLETED")
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("continue_run refuses a call with too many arguments or requirements before it reads them", () =>
    Effect.gen(function*() {
      const { continueRun, sent } = yield* paused()
      const many = Object.fromEntries(Array.from({ length: 15_000 }, (_, place) => [`k${place}`, 1]))
      for (const more of [many, { requirements: Array.from({ length: 15_000 }, () => 1) }]) {
        const result = yield* continueRun(more)
        assert.match(String(at(result, "content", 0, "text")), /at most 10000 arguments/)
      }
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("continue_run needs only the call id of a requirement", () =>
    Effect.gen(function*() {
      const { continueRun, sent } = yield* paused()
      yield* continueRun({ requirements: [{ tool_execution: { tool_call_id: "call_1" }, confirmation: true }] })
      assert.lengthOf(sent, 1)
    }))

  it.effect("continue_run takes external results, and filled-in input", () =>
    Effect.gen(function*() {
      const elsewhere = yield* paused({ externalExecution: true })
      const done = { ...elsewhere.requirement, external_execution_result: "sent manually" }
      assert.strictEqual(structuredOf(yield* elsewhere.continueRun({ requirements: [done] }))["status"], "COMPLETED")
      const form = yield* paused({ requiresUserInput: ["text"] })
      const filled = { ...form.requirement, user_input_schema: [{ name: "text", value: "hello" }] }
      assert.strictEqual(structuredOf(yield* form.continueRun({ requirements: [filled] }))["status"], "COMPLETED")
      assert.deepStrictEqual(form.sent, [{ to: "a@b.c", text: "hello" }])
    }))

  it.effect("continue_run sends progress to callers who want it", () =>
    Effect.gen(function*() {
      const { requirement, run, session } = yield* paused()
      const answer = yield* post(
        session.server,
        request("tools/call", {
          name: "continue_run",
          arguments: {
            run_id: run["run_id"],
            session_id: "s",
            agent_id: "assistant",
            requirements: [{ ...requirement, confirmation: true }]
          },
          _meta: { progressToken: "p" }
        }),
        { headers: session.headers }
      )
      const notified = messages(answer).slice(0, -1).map((message) => at(message, "params"))
      assert.deepStrictEqual(notified.map((params) => [at(params, "progress"), at(params, "message")]), [
        [0, `Continuing run ${run["run_id"]}`],
        [1, "Tool call started: send_mail"],
        [2, "Tool call completed: send_mail"]
      ])
    }))

  it.effect("continue_run applies a decision once: a repeated one is refused, and a call without one shows the result", () =>
    Effect.gen(function*() {
      const { continueRun, requirement, run, sent } = yield* paused()
      const decision = { requirements: [{ ...requirement, confirmation: true }] }
      yield* continueRun(decision)
      refused(
        yield* continueRun(decision),
        `Error calling tool 'continue_run': Cannot continue run ${
          run["run_id"]
        } with tools: it does not wait for any of them`
      )
      assert.strictEqual(structuredOf(yield* continueRun())["status"], "COMPLETED")
      assert.lengthOf(sent, 1)
    }))

  it.effect("continue_run refuses what it cannot continue with an error text", () =>
    Effect.gen(function*() {
      const { continueRun, requirement, run, sent } = yield* paused()
      const text = (more: object) => Effect.map(continueRun(more), (result) => String(at(result, "content", 0, "text")))
      const prefix = "Error calling tool 'continue_run':"
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ agent_id: null }, "Provide exactly one of agent_id, team_id, or workflow_id"],
        [{ agent_id: "unknown" }, "Agent unknown not found"],
        [{ session_id: null }, "session_id is required for this action"],
        [{ session_id: "other" }, noRun(run["run_id"])],
        [{ run_id: "other" }, noRun("other")],
        [
          { requirements: [{}] },
          "Invalid structure or content for requirements: the run has no requirement 'without an id'"
        ],
        [
          { requirements: [{ confirmation: "yes" }] },
          "arguments.requirements.0.confirmation: Input should be a valid boolean"
        ],
        [{ requirements: "yes" }, "arguments.requirements: Input should be a valid array"]
      ]
      for (const [more, decision] of cases) assert.strictEqual(yield* text(more), `${prefix} ${decision}`)
      const unknown = { ...requirement, tool_execution: { tool_call_id: "call_9" }, confirmation: true }
      assert.match(yield* text({ requirements: [unknown] }), /is not about the call that is sent with it/)
      assert.deepStrictEqual(sent, [])
    }))
})

describe("on a closed service", () => {
  const served = Effect.fnUntraced(function*(options?: Partial<Tool.Options<typeof mail>>) {
    const { agent, sent } = yield* mailer(options)
    const server = yield* serveClosed({ agents: [agent] })
    const ann = yield* open(server, { bearer: yield* token("ann", "agents:run") })
    const run = yield* start(ann)
    const [requirement] = list(run, "requirements")
    const args = {
      run_id: run["run_id"],
      session_id: "s",
      agent_id: "assistant",
      requirements: [{ ...requirement as Structured, confirmation: true }]
    }
    return { ann, args, sent, server }
  })

  it.effect("a run that waits for an approval is not found by a user who does not own it", () =>
    Effect.gen(function*() {
      const { ann, args, server } = yield* served({ approval: "required" })
      const bob = yield* open(server, { bearer: yield* token("bob", "agents:run") })
      refused(yield* call(bob, "continue_run", args), `Error calling tool 'continue_run': ${noRun(args.run_id)}`)
      refused(
        yield* call(ann, "continue_run", args),
        "Error calling tool 'continue_run': This run requires admin approval before it can be continued"
      )
    }))

  it.effect("a run of another user is not found, and a caller without the scope cannot continue one", () =>
    Effect.gen(function*() {
      const { args, sent, server } = yield* served()
      const bob = yield* open(server, { bearer: yield* token("bob", "agents:run") })
      refused(yield* call(bob, "continue_run", args), `Error calling tool 'continue_run': ${noRun(args.run_id)}`)
      const reader = yield* open(server, { bearer: yield* token("ann", "agents:read", "sessions:read") })
      refused(
        yield* call(reader, "continue_run", args),
        "Error calling tool 'continue_run': Insufficient permissions. Required scope(s): agents:run"
      )
      const account = yield* mint(server, yield* token("root", "platform:admin"), {
        name: "bot",
        scopes: ["agents:run"]
      })
      const bot = yield* open(server, { bearer: account.token })
      refused(yield* call(bot, "continue_run", args), `Error calling tool 'continue_run': ${noRun(args.run_id)}`)
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("a call that needs an approval waits for a person who may approve", () =>
    Effect.gen(function*() {
      const { ann, args, sent, server } = yield* served({ approval: "required" })
      refused(
        yield* call(ann, "continue_run", args),
        "Error calling tool 'continue_run': This run requires admin approval before it can be continued"
      )
      assert.deepStrictEqual(sent, [])
      const admin = yield* open(server, { bearer: yield* token("root", "platform:admin") })
      const result = yield* call(admin, "continue_run", args)
      assert.strictEqual(structuredOf(result)["status"], "COMPLETED")
      assert.lengthOf(sent, 1)
    }))
})

describe("a workflow that waits", () => {
  it.effect("all failed steps and questions are shown, and decided by one request", () =>
    Effect.gen(function*() {
      const asks = (name: string) => Step.make({ name, confirmation: true, run: () => name })
      const fails = Step.make({ name: "fails", onError: "pause", run: () => Effect.die(new Error("no")) })
      const steps = [Parallel.make({ name: "all", steps: [asks("a"), asks("b"), fails] })]
      const session = yield* open(yield* serve({ workflows: [Workflow.make({ id: "w", steps })] }))
      const named = { workflow_id: "w", session_id: "s" }
      const run = structuredOf(yield* call(session, "run_workflow", { ...named, message: "Go" }))
      const waiting = run["requirements"] as ReadonlyArray<Structured>
      assert.deepStrictEqual(waiting.map(({ step_name }) => step_name).toSorted(), ["a", "b", "fails"])
      const requirements = waiting.map((each) => ({
        ...each,
        ...("error_message" in each ? { decision: "skip" } : { confirmed: true })
      }))
      const result = yield* call(session, "continue_run", { ...named, run_id: run["run_id"], requirements })
      assert.strictEqual(structuredOf(result)["status"], "COMPLETED", JSON.stringify(result))
    }))
})
