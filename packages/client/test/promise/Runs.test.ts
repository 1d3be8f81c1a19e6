// Runs through the client without Effect, over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { answer, approve, reject, sent, type Svc, SvcConnectionError, SvcError, SvcRunError } from "@svc-runtime/client"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { fileURLToPath } from "node:url"
import { withSvc } from "./Served.ts"

Tier.oneIn(6)

const answering = Effect.gen(function*() {
  const { model } = yield* ScriptedModel.make([
    [ScriptedModel.text("Te", "a.")],
    [ScriptedModel.text("Coffee.")]
  ])
  return Agent.make({ id: "assistant", model })
})

const asking = Effect.gen(function*() {
  const { model } = yield* ScriptedModel.make([
    [ScriptedModel.toolCall("refund", { order: 17 }, "call_1")],
    [ScriptedModel.text("Done.")]
  ])
  const refund = Tool.make({
    name: "refund",
    description: "Pays an order back",
    parameters: Schema.Struct({ order: Schema.Finite }),
    requiresConfirmation: true,
    execute: () => "paid"
  })
  return Agent.make({ id: "clerk", model, tools: [refund] })
})

const eventsOf = async <E extends { readonly event: string }>(stream: AsyncIterable<E>): Promise<ReadonlyArray<E>> => {
  const events: Array<E> = []
  for await (const event of stream) events.push(event)
  return events
}

/** What was thrown, or undefined. */
const thrownBy = (work: () => Promise<unknown>): Promise<unknown> => work().then(() => undefined, (error) => error)

const withAgent = (use: (svc: Svc, url: string) => Promise<void>) =>
  Effect.flatMap(answering, (agent) => withSvc({ agents: [agent] }, use))

describe("the client without Effect", () => {
  it.live("an event that arrives twice answers one wait, by the run that was read or by the key of the event", () => {
    const flow = Workflow.make({
      id: "flow",
      run: async ({ waitFor }) => `${String(await waitFor("paid"))} ${String(await waitFor("paid"))}`
    })
    return withSvc({ workflows: [flow] }, async (svc) => {
      const workflow = svc.workflow("flow")
      const paused = await workflow.run({ message: "go", session_id: "s" })
      const once = await workflow.send(paused, "paid", "first")
      assert.strictEqual(once.status, "PAUSED")
      assert.instanceOf(await thrownBy(() => workflow.send(paused, "paid", "first")), SvcError)
      assert.strictEqual((await workflow.send(once, "paid", "second")).content, "first second")

      const { run_id, session_id } = await workflow.run({ message: "go", session_id: "s" })
      const send = (value: string, idempotencyKey: string) =>
        workflow.send({ run_id, session_id }, "paid", value, { idempotencyKey })
      assert.strictEqual((await send("first", "event-1")).status, "PAUSED")
      assert.instanceOf(await thrownBy(() => send("first", "event-1")), SvcError)
      assert.strictEqual((await send("second", "event-2")).content, "first second")
    })
  })

  it.live("a run of a list cannot be decided, and the error says how it is read", () =>
    Effect.flatMap(
      ScriptedModel.make([[ScriptedModel.toolCall("pay", {})], [ScriptedModel.text("Paid.")]]),
      ({ model }) => {
        const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
        return withSvc({ agents: [Agent.make({ id: "a", model, tools: [pay] })] }, async (svc) => {
          const agent = svc.agent("a")
          await agent.run({ message: "go", session_id: "s" })
          const [listed] = await agent.list("s")
          if (listed === undefined) throw new Error("The list is empty")
          for (const decide of [() => approve(listed as never), () => sent(listed as never, "paid")]) {
            assert.throws(
              decide,
              "This paused run has no requirements, as one of a list or a history. Read it with get(run)"
            )
          }
          assert.strictEqual((await agent.continue(listed, approve(await agent.get(listed)))).content, "Paid.")
        })
      }
    ))

  it.live("an event is taken while another step of a workflow waits for a person", () => {
    const flow = Workflow.make({
      id: "flow",
      steps: [Parallel.make({
        name: "both",
        steps: [
          Step.make({ name: "paid", run: async ({ waitFor }) => String(await waitFor("paid")) }),
          Step.make({ name: "ask", run: ({ pause }) => pause({ question: "Well?" }) }),
          Step.make({ name: "other", run: async ({ waitFor }) => String(await waitFor("other")) })
        ]
      })]
    })
    return withSvc({ workflows: [flow] }, async (svc) => {
      const workflow = svc.workflow("flow")
      const first = await workflow.run({ message: "go", session_id: "s" })
      const second = await workflow.send(first, "other", 2)
      const third = await workflow.send(second, "paid", 1)
      assert.strictEqual(third.status, "PAUSED")
      assert.instanceOf(await thrownBy(() => workflow.send(first, "other", 3)), SvcError)
      const ended = await workflow.continue(third, answer(third, { answer: "yes" }))
      assert.deepStrictEqual(ended.step_results?.[0]?.steps?.map(({ content }) => content), ["1", "yes", "2"])
    })
  })

  it.live.each(["step", "function"] as const)(
    "the stream of a continued workflow is of its run, though a workflow in its %s continues first",
    (place) => {
      const inner = Workflow.make({
        id: "inner",
        steps: [Step.make({ name: "check", confirmation: { message: "Continue?" }, run: () => "checked" })]
      })
      const outer = place === "step"
        ? Workflow.make({ id: "outer", steps: [Step.make({ name: "inside", workflow: inner })] })
        : Workflow.make({ id: "outer", run: async ({ run }) => (await run(inner, "x")).content })
      return withSvc({ workflows: [outer] }, async (svc) => {
        const workflow = svc.workflow("outer")
        const paused = await workflow.run({ message: "go", session_id: "s" })
        assert.strictEqual(paused.status, "PAUSED")
        const stream = workflow.continueStream(paused, approve(paused))
        const events = await eventsOf(stream)
        assert.strictEqual(stream.run?.run_id, paused.run_id)
        assert.deepStrictEqual(events.filter(({ event }) => event === "WorkflowCompleted").length, 2)
        assert.strictEqual((await stream.result()).content, "checked")
      })
    }
  )

  it.live("a message is edited and answered again, and the branches of a session are switched", () =>
    Effect.flatMap(
      ScriptedModel.make([1, 2, 3, 4].map((number) => [ScriptedModel.text(`${number}`)])),
      ({ model }) =>
        withSvc({ agents: [Agent.make({ id: "a", model })] }, async (svc) => {
          const agent = svc.agent("a")
          const session = { session_id: "s" }
          const first = await agent.run({ message: "one", ...session })
          const second = await agent.run({ message: "two", ...session })
          const edited = await agent.edit(second, "other two")
          const again = await agent.regenerate(first)
          assert.strictEqual(again.input?.input_content, "one")
          const idsOf = (runs: ReadonlyArray<{ readonly run_id?: string | undefined }>) =>
            runs.map(({ run_id }) => run_id)
          assert.deepStrictEqual(idsOf(await agent.branches(edited)), [second.run_id, edited.run_id])
          assert.deepStrictEqual(idsOf(await agent.branches(again)), [first.run_id, again.run_id])
          const shown = async () => {
            const { chat_history } = await svc.sessions.get("s") as {
              chat_history?: Array<{ content?: string }> | null
            }
            return chat_history?.map(({ content }) => content)
          }
          assert.deepStrictEqual(await shown(), ["one", "4"])
          await agent.switch(first)
          assert.deepStrictEqual(await shown(), ["one", "1", "other two", "3"])
          await agent.switch(second)
          assert.deepStrictEqual(await shown(), ["one", "1", "two", "2"])
          const [listed] = await agent.list("s")
          const [branch] = await agent.branches(first)
          const [on] = await agent.history("s")
          for (const run of [listed!, branch!, on!]) {
            assert.strictEqual((await agent.get(run)).run_id, first.run_id)
            await agent.switch(run)
          }
        })
    ))

  it.live("a run returns its answer and takes objects as objects", () =>
    withAgent(async (svc) => {
      const run = await svc.agent("assistant").run({
        message: "what?",
        session_id: "s",
        session_state: { cups: 2 },
        metadata: { from: "shop" }
      })
      assert.deepStrictEqual([run.status, run.content], ["COMPLETED", "Tea."])
      assert.deepStrictEqual(run.session_state, { cups: 2 })
      assert.deepStrictEqual(run.metadata, { from: "shop" })
      assert.deepStrictEqual((await svc.agent("assistant").get(run)).content, "Tea.")
      assert.lengthOf(await svc.agent("assistant").list("s"), 1)
    }))

  it.live("a stream gives the events of the run, each once, and then the run", () =>
    withAgent(async (svc) => {
      const stream = svc.agent("assistant").stream({ message: "what?", session_id: "s" })
      const events = await eventsOf(stream)
      assert.deepStrictEqual([events[0]?.event, events.at(-1)?.event], ["RunStarted", "RunCompleted"])
      assert.deepStrictEqual(
        events.flatMap((event) => event.event === "RunContent" ? [event.content] : []),
        ["Te", "a."]
      )
      assert.strictEqual(stream.run?.session_id, "s")
      assert.strictEqual((await svc.agent("assistant").stream("again").result()).content, "Coffee.")
    }))

  it.live("a run that exists is watched from an event on", () =>
    withAgent(async (svc) => {
      const agent = svc.agent("assistant")
      const streamed = agent.stream({ message: "what?", session_id: "s" })
      const all = await eventsOf(streamed)
      const run = streamed.run!
      assert.deepStrictEqual(await eventsOf(agent.watch(run)), all)
      const rest = await eventsOf(agent.watch(run, { after: 0 }))
      assert.deepStrictEqual(rest, all.slice(1))
    }))

  it.live("a paused run continues with the decision of a person", () =>
    Effect.flatMap(asking, (agent) =>
      withSvc({ agents: [agent] }, async (svc) => {
        const clerk = svc.agent("clerk")
        const paused = await clerk.run("refund 17")
        assert.strictEqual(paused.status, "PAUSED")
        const done = await clerk.continue(paused, approve(paused))
        assert.deepStrictEqual([done.status, done.content], ["COMPLETED", "Done."])
        assert.strictEqual(done.tools?.[0]?.result, "paid")
      })))

  it.live("a rejected call is not executed, and its stream continues", () =>
    Effect.flatMap(asking, (agent) =>
      withSvc({ agents: [agent] }, async (svc) => {
        const clerk = svc.agent("clerk")
        const stream = clerk.stream("refund 17")
        assert.strictEqual((await eventsOf(stream)).at(-1)?.event, "RunPaused")
        const paused = await clerk.get(stream.run!)
        const done = await clerk.continueStream(paused, reject(paused, "too much")).result()
        assert.strictEqual(done.status, "COMPLETED")
        assert.notStrictEqual(done.tools?.[0]?.result, "paid")
      })))

  it.live("the stream of a continued team is of the team, although its member's events come first", () =>
    Effect.gen(function*() {
      const member = yield* asking
      const { model } = yield* ScriptedModel.make([
        [ScriptedModel.toolCall("delegate_task_to_member", { member_id: "clerk", task: "refund 17" })],
        [ScriptedModel.text("All paid.")]
      ])
      const team = Team.make({ id: "desk", model, members: [member] })
      yield* withSvc({ teams: [team] }, async (svc) => {
        const desk = svc.team("desk")
        const paused = await desk.run("refund 17")
        assert.strictEqual(paused.status, "PAUSED")
        const stream = desk.continueStream(paused, approve(paused))
        const done = await stream.result()
        assert.strictEqual(stream.run?.run_id, paused.run_id)
        assert.deepStrictEqual([done.status, done.content], ["COMPLETED", "All paid."])
      })
    }))

  it.live("an event is sent to a run by its name, and one that the run does not wait for is refused", () =>
    Effect.gen(function*() {
      const invoice = Tool.make({
        name: "invoice",
        execute: (_, { waitFor }) => waitFor("paid").then((paid) => `Paid: ${JSON.stringify(paid)}`)
      })
      const { model } = yield* ScriptedModel.make([[ScriptedModel.toolCall("invoice")], [ScriptedModel.text("Done.")]])
      const flow = Workflow.make({
        id: "flow",
        steps: [
          Step.make({ name: "first", run: () => "1" }),
          Step.make({ name: "wait", run: ({ waitFor }) => waitFor("arrived").then((at) => `At ${String(at)}`) })
        ]
      })
      const agents = [Agent.make({ id: "clerk", model, tools: [invoice] })]
      yield* withSvc({ agents, workflows: [flow] }, async (svc) => {
        const clerk = svc.agent("clerk")
        const paused = await clerk.run("Invoice")
        assert.strictEqual(paused.status, "PAUSED")
        const error: unknown = await clerk.send(paused, "payed", 1).then(() => undefined, (error: unknown) => error)
        assert.strictEqual(
          String(error),
          "Error: The run does not wait for the event 'payed'. It waits for 'paid'"
        )
        const done = await clerk.send(paused, "paid", { cents: 1200 })
        assert.deepStrictEqual([done.status, done.tools?.[0]?.result], ["COMPLETED", "Paid: {\"cents\":1200}"])
        const waiting = await svc.workflow("flow").run("go")
        const arrived = await svc.workflow("flow").send(waiting, "arrived", "noon")
        assert.deepStrictEqual([arrived.status, arrived.content], ["COMPLETED", "At noon"])
      })
    }))

  it.live("a workflow that waits for a confirmation continues with it", () =>
    withSvc({
      workflows: [
        Workflow.make({ id: "brief", steps: [Step.make({ name: "publish", confirmation: true, run: () => "Out." })] })
      ]
    }, async (svc) => {
      const brief = svc.workflow("brief")
      const paused = await brief.run("tea")
      assert.strictEqual(paused.status, "PAUSED")
      const done = await brief.continue(paused, approve(paused))
      assert.deepStrictEqual([done.status, done.content], ["COMPLETED", "Out."])
    }))

  it.live("the text of an answer is read as it is written, without that of members", () =>
    Effect.gen(function*() {
      const { model: member } = yield* ScriptedModel.make([[ScriptedModel.text("4 in stock")]])
      const { model } = yield* ScriptedModel.make([
        [ScriptedModel.toolCall("delegate_task_to_member", { member_id: "stock", task: "count" })],
        [ScriptedModel.text("There ", "are 4.")]
      ])
      const team = Team.make({ id: "desk", model, members: [Agent.make({ id: "stock", model: member })] })
      yield* withSvc({ teams: [team] }, async (svc) => {
        const texts: Array<string> = []
        for await (const text of svc.team("desk").text("How many?")) texts.push(text)
        assert.strictEqual(texts.join(""), "There are 4.")
      })
    }))

  it.live("runs and events with an answer have its text, also if the answer is an object", () =>
    Effect.gen(function*() {
      const object = `{"city":"Rome"}`
      const { model } = yield* ScriptedModel.make(["tea", object, object].map((text) => [ScriptedModel.text(text)]))
      const outputSchema = Schema.Struct({ city: Schema.String })
      const agents = [Agent.make({ id: "a", model }), Agent.make({ id: "typed", model, outputSchema })]
      yield* withSvc({ agents }, async (svc) => {
        const texts: Array<string> = []
        for await (const event of svc.agent("a").stream("hi")) {
          if (event.event === "RunContent" || event.event === "RunCompleted") texts.push(event.text)
        }
        assert.deepStrictEqual(texts.filter((text) => text !== ""), ["tea", "tea"])
        const run = await svc.agent("typed").run("hi")
        assert.deepStrictEqual([run.content, run.text], [{ city: "Rome" }, object])
        assert.strictEqual((await svc.agent("typed").get(run)).text, object)
        const stream = svc.agent("typed").stream("hi")
        assert.strictEqual((await stream.result()).text, object)
      })
    }))

  it.live("the text of a run that pauses or fails ends with an error that has the reason and the run", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([[ScriptedModel.fail("no tea today")]])
      yield* withSvc({ agents: [yield* asking, Agent.make({ id: "a", model })] }, async (svc) => {
        const failed = async (id: string) => {
          const error = await thrownBy(async () => {
            for await (const _ of svc.agent(id).text("refund 17")) continue
          })
          assert.instanceOf(error, SvcRunError)
          assert.isString(error.run.run_id)
          return error
        }
        const paused = await failed("clerk")
        assert.strictEqual(paused.status, "PAUSED")
        assert.strictEqual((await svc.agent("clerk").get(paused.run)).status, "PAUSED")
        assert.strictEqual((await failed("a")).status, "ERROR")
      })
    }))

  it.live("a response that is no success is an error with status, code, detail and the id of the request", () =>
    withAgent(async (svc) => {
      const error = await thrownBy(() => svc.agent("unknown").run("what?"))
      assert.instanceOf(error, SvcError)
      assert.deepStrictEqual([error.status, error.code], [404, "NOT_FOUND"])
      assert.include(error.message, "not found")
      assert.isString(error.requestId)
      const invalid = await thrownBy(() => svc.sessions.rename("s", {} as never))
      assert.instanceOf(invalid, SvcError)
      assert.deepStrictEqual(invalid.problems.map(({ loc }) => loc.join(".")), ["body.session_name"])
    }))

  it.live("a service that cannot be reached is an error with its address and the reason", () =>
    withSvc({}, async (svc) => {
      const error = await thrownBy(() => svc.system.health())
      assert.instanceOf(error, SvcConnectionError)
      assert.match(error.message, /^No response from http:\/\/127\.0\.0\.1:1\/health: (.*ECONNREFUSED|bad port)/)
    }, { baseUrl: "http://127.0.0.1:1", retries: 0 }))

  it.live("an aborted stream ends with the reason, and the run continues", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([[ScriptedModel.text("Te"), ScriptedModel.hang]])
      yield* withSvc({ agents: [Agent.make({ id: "slow", model })] }, async (svc) => {
        const abort = new AbortController()
        const stream = svc.agent("slow").stream({ message: "what?", session_id: "s" }, { signal: abort.signal })
        const error = await thrownBy(async () => {
          for await (const { event } of stream) if (event === "RunContent") abort.abort(new Error("enough"))
        })
        assert.strictEqual((error as Error).message, "enough")
        assert.strictEqual((await svc.agent("slow").get(stream.run!)).status, "RUNNING")
        await svc.agent("slow").cancel(stream.run!)
      })
    }))

  it.live("files are sent as a form, with the other fields beside them", () =>
    withAgent(async (svc) => {
      const run = await svc.agent("assistant").run({
        message: "what?",
        metadata: { from: "shop" },
        files: [new Blob(["a,b"], { type: "text/csv" }), { name: "notes.txt", data: new Blob(["tea"]) }]
      })
      assert.deepStrictEqual(run.metadata, { from: "shop" })
      assert.deepStrictEqual(run.input?.files?.map(({ filename }) => filename), ["file", "notes.txt"])
    }))

  it.live("an object with a path is a file in the fields of files only", () =>
    withAgent(async (svc) => {
      const run = await svc.agent("assistant").run({ message: "what?", metadata: { path: "/etc/hostname" } })
      assert.deepStrictEqual(run.metadata, { path: "/etc/hostname" })
      const path = fileURLToPath(new URL("../../README.md", import.meta.url))
      const read = await svc.agent("assistant").run({ message: "what?", files: [{ path }] })
      assert.deepStrictEqual(read.input?.files?.map(({ filename }) => filename), ["README.md"])
    }))

  it.live("the entries of all pages of a list are read one after the other", () =>
    withAgent(async (svc) => {
      for (const name of ["a", "b", "c"]) await svc.sessions.create({ session_name: name })
      const names: Array<string> = []
      for await (const { session_name } of svc.all(svc.sessions.list, { limit: 2 })) names.push(String(session_name))
      assert.deepStrictEqual(names.toSorted(), ["a", "b", "c"])
    }))
})
