// Runs that wait for somebody, over MCP: what they wait for is in the answer, the client
// sends it back with what was said, and the run goes on where REST would have it go on.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Tool } from "@svc/runtime"
import * as Script from "@svc/testing/ScriptedModel"
import { Effect, Schema } from "effect"
import { mint, serveClosed, token } from "../authorization/Closed.ts"
import { at, list, serve } from "../Wire.ts"
import { call, messages, open, post, refused, request, type Session } from "./Mcp.ts"

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
  const goOn = (more: object = {}) =>
    call(session, "continue_run", { run_id: run["run_id"], session_id: "s", agent_id: "assistant", ...more })
  const [requirement] = list(run, "requirements")
  return { goOn, requirement: requirement as Structured, run, sent, session }
})

describe("continue_run", () => {
  it.effect("makes the call that was confirmed, and answers with what has come of the run", () =>
    Effect.gen(function*() {
      const { goOn, requirement, run, sent } = yield* paused()
      const result = yield* goOn({ requirements: [{ ...requirement, confirmation: true }] })
      assert.deepStrictEqual(at(result, "content"), [{ type: "text", text: "Done." }])
      assert.deepStrictEqual(structuredOf(result), { run_id: run["run_id"], session_id: "s", status: "COMPLETED" })
      assert.deepStrictEqual(sent, [{ to: "a@b.c", text: "hi" }])
    }))

  it.effect("does not make the call that was refused, or that nothing was said of", () =>
    Effect.gen(function*() {
      for (const said of [{ confirmation: false, confirmation_note: "no" }, {}, undefined]) {
        const { goOn, requirement, sent } = yield* paused()
        const result = yield* goOn(said === undefined ? {} : { requirements: [{ ...requirement, ...said }] })
        assert.strictEqual(structuredOf(result)["status"], "COMPLETED")
        assert.deepStrictEqual(sent, [])
      }
    }))

  it.effect("needs no more of a requirement than which call it is", () =>
    Effect.gen(function*() {
      const { goOn, sent } = yield* paused()
      yield* goOn({ requirements: [{ tool_execution: { tool_call_id: "call_1" }, confirmation: true }] })
      assert.lengthOf(sent, 1)
    }))

  it.effect("takes what was done elsewhere, and what a person has filled in", () =>
    Effect.gen(function*() {
      const elsewhere = yield* paused({ externalExecution: true })
      const done = { ...elsewhere.requirement, external_execution_result: "sent by hand" }
      assert.strictEqual(structuredOf(yield* elsewhere.goOn({ requirements: [done] }))["status"], "COMPLETED")
      const form = yield* paused({ requiresUserInput: ["text"] })
      const filled = { ...form.requirement, user_input_schema: [{ name: "text", value: "hello" }] }
      assert.strictEqual(structuredOf(yield* form.goOn({ requirements: [filled] }))["status"], "COMPLETED")
      assert.deepStrictEqual(form.sent, [{ to: "a@b.c", text: "hello" }])
    }))

  it.effect("says that it goes on to those who want to know", () =>
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
      const told = messages(answer).slice(0, -1).map((message) => at(message, "params"))
      assert.deepStrictEqual(told.map((params) => [at(params, "progress"), at(params, "message")]), [
        [0, `Continuing run ${run["run_id"]}`],
        [1, "Tool call started: send_mail"],
        [2, "Tool call completed: send_mail"]
      ])
    }))

  it.effect("once: what is said twice is refused, and asking again shows what has come of it", () =>
    Effect.gen(function*() {
      const { goOn, requirement, run, sent } = yield* paused()
      const said = { requirements: [{ ...requirement, confirmation: true }] }
      yield* goOn(said)
      refused(
        yield* goOn(said),
        `Error calling tool 'continue_run': Cannot continue run ${
          run["run_id"]
        } with tools: it does not wait for any of them`
      )
      assert.strictEqual(structuredOf(yield* goOn())["status"], "COMPLETED")
      assert.lengthOf(sent, 1)
    }))

  it.effect("refuses in words what it cannot go on with", () =>
    Effect.gen(function*() {
      const { goOn, requirement, sent } = yield* paused()
      const text = (more: object) => Effect.map(goOn(more), (result) => String(at(result, "content", 0, "text")))
      const prefix = "Error calling tool 'continue_run':"
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ agent_id: null }, "Provide exactly one of agent_id, team_id, or workflow_id"],
        [{ agent_id: "nobody" }, "Agent nobody not found"],
        [{ session_id: null }, "session_id is required for this action"],
        [{ session_id: "other" }, "Run not found"],
        [{ run_id: "other" }, "Run not found"],
        [{ requirements: [{}] }, "arguments.requirements.0.tool_execution: Field required"],
        [{ requirements: "yes" }, "arguments.requirements: Input should be a valid array"]
      ]
      for (const [more, said] of cases) assert.strictEqual(yield* text(more), `${prefix} ${said}`)
      const unknown = { ...requirement, tool_execution: { tool_call_id: "call_9" }, confirmation: true }
      assert.match(yield* text({ requirements: [unknown] }), /the run has no call 'call_9'/)
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
      refused(yield* call(bob, "continue_run", args), "Error calling tool 'continue_run': Run not found")
      refused(
        yield* call(ann, "continue_run", args),
        "Error calling tool 'continue_run': This run requires admin approval before it can be continued"
      )
    }))

  it.effect("somebody else's run is not there, and whoever may not run cannot continue", () =>
    Effect.gen(function*() {
      const { args, sent, server } = yield* served()
      const bob = yield* open(server, { bearer: yield* token("bob", "agents:run") })
      refused(yield* call(bob, "continue_run", args), "Error calling tool 'continue_run': Run not found")
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
      refused(yield* call(bot, "continue_run", args), "Error calling tool 'continue_run': Run not found")
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("a call that needs an approval waits for somebody who may approve", () =>
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
