// Components that run in a program without a service.
import { approve, SvcError } from "@svc-runtime/client"
import { Agent, Local, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as ScriptedModel from "@svc-runtime/test-support/ScriptedModel"
import { flags } from "@svc-runtime/test-support/ServiceProcess"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Stream } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, describe, it } from "vitest"

Tier.oneIn(6)

const scripted = (...turns: ReadonlyArray<ScriptedModel.Turn>) => Effect.runSync(ScriptedModel.make(turns)).model

const says = (...texts: ReadonlyArray<string>) => scripted(...texts.map((text) => [ScriptedModel.text(text)]))

const slow = { timeout: 60_000 }

describe("a component in a program without a service", slow, () => {
  afterAll(Local.close)

  it("a run returns what the client returns, and a session continues", async () => {
    const assistant = Agent.make({ id: "assistant", model: says("391", "195.5"), addHistoryToContext: true })
    const run = await assistant.run("What is 17 times 23?")
    assert.strictEqual(run.status, "COMPLETED")
    assert.strictEqual(run.content, "391")
    const second = await assistant.run({ message: "And halved?", session_id: run.session_id, user_id: "ann" })
    assert.strictEqual(second.content, "195.5")
    const svc = await Local.client()
    assert.deepStrictEqual(
      (await svc.agent("assistant").list(run.session_id)).map(({ run_id }) => run_id),
      [run.run_id, second.run_id]
    )
  })

  it("a stream has the events of the client, or the text alone", async () => {
    const assistant = Agent.make({
      id: "streamed",
      model: scripted([ScriptedModel.text("It is ", "sunny.")], [ScriptedModel.text("It ", "rains.")])
    })
    const names: Array<string> = []
    const stream = assistant.stream("Weather?")
    for await (const { event } of stream) names.push(event)
    assert.strictEqual(names[0], "RunStarted")
    assert.strictEqual(names.at(-1), "RunCompleted")
    assert.strictEqual((await stream.result()).content, "It is sunny.")
    assert.isDefined(stream.run)
    const pieces: Array<string> = []
    for await (const text of assistant.stream("And now?").textStream) pieces.push(text)
    assert.deepStrictEqual(pieces, ["It ", "rains."])
  })

  it("teams find their members, and workflows the steps that they name by an id", async () => {
    const writer = Agent.make({ id: "writer", model: says("A text.") })
    const delegate = ScriptedModel.toolCall("delegate_task_to_member", { member_id: "writer", task: "Write" })
    const team = Team.make({
      id: "team",
      members: [writer],
      model: scripted([delegate], [ScriptedModel.text("Done.")])
    })
    assert.strictEqual((await team.run("Write something")).content, "Done.")
    Agent.make({ id: "named", model: says("by id") })
    const flow = Workflow.make({
      id: "flow",
      steps: [
        Step.make({ name: "ask", agent: "named" }),
        Step.make({ name: "shout", run: ({ input }) => String(input).toUpperCase() })
      ]
    })
    const run = await flow.run("go")
    assert.strictEqual(run.status, "COMPLETED")
    assert.strictEqual(run.content, "BY ID")
    const whole = Workflow.make({ id: "whole", run: ({ input }) => `${String(input)}!` })
    assert.strictEqual((await whole.run("Hello")).content, "Hello!")
  })

  it("a paused run continues with decisions", async () => {
    const made: Array<unknown> = []
    const refund = Tool.make({
      name: "refund",
      requiresConfirmation: true,
      execute: () => {
        made.push(true)
        return "Refunded."
      }
    })
    const clerk = Agent.make({
      id: "clerk",
      tools: [refund],
      model: scripted([ScriptedModel.toolCall("refund")], [ScriptedModel.text("It is refunded.")])
    })
    const paused = await clerk.run("Refund it")
    assert.strictEqual(paused.status, "PAUSED")
    assert.deepStrictEqual(made, [])
    const run = await clerk.continue(paused, approve(paused))
    assert.strictEqual(run.content, "It is refunded.")
    assert.deepStrictEqual(made, [true])
  })

  it("a run that failed is returned, and a request that is refused throws the error of the client", async () => {
    const broken = Agent.make({ id: "broken", model: scripted([ScriptedModel.fail("No luck")]) })
    assert.strictEqual((await broken.run("Hello")).status, "ERROR")
    const error = await broken.run({ message: "Hello", session_id: "x".repeat(2000) }).then(() => undefined, (e) => e)
    assert.instanceOf(error, SvcError)
    assert.strictEqual(error.status, 422)
  })

  it("a second component with the id of another one is refused with a sentence", async () => {
    const first = Agent.make({ id: "twin", model: says("I am the first.") })
    const second = Agent.make({ id: "twin", model: says("I am the second.") })
    assert.strictEqual((await first.run("Who?")).content, "I am the first.")
    const error = await second.run("Who?").then(() => undefined, (e) => e)
    assert.instanceOf(error, SvcError)
    assert.match(error.message, /The agent 'twin' of this program is another one\./)
  })

  it("a component that cannot be served does not stop the others", async () => {
    const fine = Agent.make({ id: "fine", model: says("Yes.", "Still.") })
    assert.strictEqual((await fine.run("Well?")).content, "Yes.")
    const flow = Workflow.make({ id: "lost", steps: [Step.make({ name: "ask", agent: "missing" })] })
    const error = await flow.run("go").then(() => undefined, (e) => e)
    assert.instanceOf(error, SvcError)
    assert.match(error.message, /There is no agent 'missing'\. It is named in workflow 'lost' → step 'ask'\./)
    assert.strictEqual((await fine.run("Well?")).content, "Still.")
  })

  it("many runs at once share the service, also with a component that is made while they run", async () => {
    const inner = Agent.make({ id: "inner", model: "fixed" })
    const ask = Tool.make({ name: "ask", execute: async () => String((await inner.run("x")).content) })
    const outer = Agent.make({
      id: "outer",
      tools: [ask],
      model: scripted([ScriptedModel.toolCall("ask")], [ScriptedModel.text("Asked.")])
    })
    const other = Agent.make({ id: "crowd", model: "fixed" })
    const runs = await Promise.all([outer.run("x"), ...Array.from({ length: 20 }, () => other.run("x"))])
    assert.deepStrictEqual([...new Set(runs.map(({ status }) => status))], ["COMPLETED"])
    assert.strictEqual(runs[0]?.content, "Asked.")
  })

  it("a program with Effect has the same as effects and streams", async () => {
    const assistant = Agent.make({
      id: "effect",
      model: scripted([ScriptedModel.text("A")], [ScriptedModel.text("B", "C")])
    })
    const program = Effect.gen(function*() {
      const run = yield* Local.run(assistant, "Hello")
      const events = yield* Stream.runCollect(Local.stream(assistant, { message: "More", session_id: run.session_id }))
      const unknown = yield* Effect.flip(Local.continue(assistant, { run_id: "r", session_id: "s" }, {}))
      return { run, events, unknown }
    })
    const { events, run, unknown } = await Effect.runPromise(
      Effect.provide(program, Local.layer({ dataDir: "memory" }))
    )
    assert.strictEqual(run.content, "A")
    assert.strictEqual(events.at(-1)?.event, "RunCompleted")
    assert.instanceOf(unknown, SvcError)
  })
})

describe("a program that ends", { timeout: 240_000 }, () => {
  const program = fileURLToPath(new URL("program.ts", import.meta.url))

  const execute = async (environment: NodeJS.ProcessEnv) => {
    const { stderr, stdout } = await promisify(execFile)(process.execPath, [...flags, program], {
      env: { ...process.env, ...environment },
      timeout: 75_000
    })
    assert.strictEqual(stderr, "")
    const expected = { status: ["COMPLETED", "COMPLETED"], text: "Hello from a fixed model.", isSame: true }
    assert.deepStrictEqual(JSON.parse(stdout), expected)
  }

  it.runIf(Tier.isWhole)("a program ends by itself, in memory", () => execute({}))

  it.runIf(Tier.isWhole)("a program ends by itself with a directory, which the next one continues", async () => {
    const directory = mkdtempSync(join(tmpdir(), "svc-local-"))
    try {
      await execute({ DATA_DIR: directory })
      await execute({ DATA_DIR: directory })
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
