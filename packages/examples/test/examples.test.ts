// The other examples: what they define works, with a scripted model.
import { assert, describe, it } from "@effect/vitest"
import type * as Agent from "@svc-runtime/agents/agent/define/Agent"
import { checkup, serviceDesk } from "@svc-runtime/examples/factories"
import { orderDesk, ShopDatabase } from "@svc-runtime/examples/factory"
import { gameMaster } from "@svc-runtime/examples/layers"
import { classifier } from "@svc-runtime/examples/structured"
import { edition, newsroom } from "@svc-runtime/examples/team"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"

Tier.oneIn(2)

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const run = Effect.fnUntraced(function*(agent: Agent.Agent, message: string, turns: ReadonlyArray<ScriptedModel.Turn>) {
  const { calls, model } = yield* ScriptedModel.make(turns)
  const server = yield* TestServer.make({ agents: [{ ...agent, model }] })
  const body = new URLSearchParams({ message, stream: "false" })
  const response = yield* server.fetch(`/agents/${agent.id}/runs`, { method: "POST", body })
  const answer = yield* Effect.promise(() => response.json() as Promise<Json>)
  return { status: response.status, answer, modelCalls: (yield* calls).length }
})

const ticket = (text: string) => JSON.stringify({ ticket: text, language: "en" })
const verdict = { category: "delivery", urgent: true, reply: "We are looking for it." }

describe("structured", () => {
  it.effect("the agent answers with an object of its schema", () =>
    Effect.gen(function*() {
      const { answer } = yield* run(classifier, ticket("The parcel never came"), [
        [ScriptedModel.text(JSON.stringify(verdict))]
      ])
      assert.deepStrictEqual(answer["content"], verdict)
      assert.strictEqual(answer["content_type"], "Verdict")
    }))

  it.effect("a message that does not fit is refused, and the error names the field", () =>
    Effect.gen(function*() {
      const { answer, status } = yield* run(classifier, JSON.stringify({ ticket: "hi", language: "xx" }), [])
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(answer["errors"][0].loc, ["body", "message", "language"])
    }))

  it.effect("the model is not asked about an input that the check of the author refuses", () =>
    Effect.gen(function*() {
      const { answer, modelCalls } = yield* run(classifier, ticket("x".repeat(2001)), [])
      assert.strictEqual(answer["status"], "ERROR")
      assert.strictEqual(answer["content"], "A ticket has at most 2,000 characters")
      assert.strictEqual(modelCalls, 0)
    }))
})

describe("team", () => {
  const served = Effect.gen(function*() {
    const delegate = (member_id: string) =>
      ScriptedModel.toolCall("delegate_task_to_member", { member_id, task: "Tea" })
    const { model } = yield* ScriptedModel.make([
      [delegate("reporter")],
      [ScriptedModel.toolCall("search_archive", { subject: "tea" })],
      [ScriptedModel.text("Tea grows.")],
      [delegate("publisher")],
      [ScriptedModel.toolCall("publish", { headline: "Tea grows" })],
      [ScriptedModel.text("It is out.")],
      [ScriptedModel.text("Published.")]
    ])
    const members = new Map([...newsroom.members].map(([id, member]) => [id, { ...member, model }]))
    const server = yield* TestServer.make({
      teams: [{ ...newsroom, members, leader: { ...newsroom.leader, model } }],
      workflows: [edition]
    })
    return (path: string, fields: Readonly<Record<string, string>>) =>
      server.fetch(path, {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
      }).pipe(Effect.flatMap((response) => Effect.promise(() => response.json() as Promise<Json>)))
  })

  it.effect("the team researches and writes its article, and publishes it when a person has confirmed", () =>
    Effect.gen(function*() {
      const post = yield* served
      const paused = yield* post("/teams/newsroom/runs", { message: "Tea", run_id: "r" })
      assert.strictEqual(paused["status"], "PAUSED")
      const [{ id, member_agent_id }] = paused["requirements"]
      assert.strictEqual(member_agent_id, "publisher")
      const requirements = JSON.stringify([{ id, confirmation: true }])
      const answer = yield* post("/teams/newsroom/runs/r/continue", { requirements })
      assert.strictEqual(answer["content"], "Published.")
      assert.deepStrictEqual(answer["session_state"], { published: "Tea grows" })
    }))

  it.effect("the team executes a step of a workflow, which waits for the required confirmation", () =>
    Effect.gen(function*() {
      const post = yield* served
      const paused = yield* post("/workflows/edition/runs", { message: "tea", run_id: "r" })
      assert.strictEqual(paused["status"], "PAUSED")
      const [{ executor_requirements: [{ id }], step_id }] = paused["step_requirements"]
      const step_requirements = JSON.stringify([{ step_id, executor_requirements: [{ id, confirmation: true }] }])
      const answer = yield* post("/workflows/edition/runs/r/continue", { step_requirements })
      assert.deepStrictEqual([answer["status"], answer["content"]], ["COMPLETED", { front_page: "Tea grows" }])
    }))
})

describe("factory", () => {
  const ask = Effect.fnUntraced(function*(fields: Readonly<Record<string, string>>) {
    const { model, prompts } = yield* ScriptedModel.make([
      [ScriptedModel.toolCall("find_order", { order: 7 })],
      [ScriptedModel.text("It is on its way.")]
    ])
    const build: typeof orderDesk.build = (call) => Effect.map(orderDesk.build(call), (agent) => ({ ...agent, model }))
    const server = yield* TestServer.make({ agents: [{ ...orderDesk, build }] })
    ShopDatabase.opened = []
    const body = new URLSearchParams({ message: "Where is order 7?", stream: "false", ...fields })
    const response = yield* server.fetch("/agents/order-desk/runs", { method: "POST", body })
    const answer = yield* Effect.promise(() => response.json() as Promise<Json>)
    return { status: response.status, answer, prompts: yield* prompts }
  })
  const input = (value: object) => ({ factory_input: JSON.stringify(value) })

  it.effect("the factory makes an agent for the shop of the request, and closes its connection", () =>
    Effect.gen(function*() {
      const { answer, prompts } = yield* ask(input({ shop: "tea-house" }))
      assert.strictEqual(answer["tools"][0].result, "two tins of oolong, on their way")
      assert.include(JSON.stringify(prompts[0]), "Be friendly.")
      yield* Effect.repeat(Effect.yieldNow, { until: () => ShopDatabase.opened.every(({ isOpen }) => !isOpen) })
      assert.strictEqual(ShopDatabase.opened.length, 1)
    }))

  it.effect("the factory refuses an unknown shop, the shop of another user, and an invalid tone", () =>
    Effect.gen(function*() {
      const unknown = yield* ask(input({ shop: "moon" }))
      assert.deepStrictEqual([unknown.status, unknown.answer["detail"]], [
        400,
        "factory_input validation failed: there is no shop 'moon'"
      ])
      const foreign = yield* ask(input({ shop: "back-office" }))
      assert.deepStrictEqual([foreign.status, foreign.answer["error_code"]], [403, "FORBIDDEN"])
      const rude = yield* ask(input({ shop: "tea-house", tone: "rude" }))
      assert.strictEqual(rude.status, 400)
      assert.match(rude.answer["detail"], /^factory_input validation failed: tone: /)
      assert.strictEqual(ShopDatabase.opened.length, 0)
    }))
})

describe("factories", () => {
  const ask = Effect.fnUntraced(function*(path: string, site: string) {
    const { model, prompts } = yield* ScriptedModel.make([[ScriptedModel.text("Done.")]])
    const build: typeof serviceDesk.build = (call) =>
      Effect.map(serviceDesk.build(call), (team) => ({ ...team, leader: { ...team.leader, model } }))
    const server = yield* TestServer.make({ teams: [{ ...serviceDesk, build }], workflows: [checkup] })
    const body = new URLSearchParams({ message: "go", stream: "false", factory_input: JSON.stringify({ site }) })
    const response = yield* server.fetch(`${path}/runs`, { method: "POST", body })
    const answer = yield* Effect.promise(() => response.json() as Promise<Json>)
    return { status: response.status, answer, prompts: JSON.stringify(yield* prompts) }
  })

  it.effect("the factory adds the members that the site has paid for", () =>
    Effect.gen(function*() {
      const harbour = yield* ask("/teams/service-desk", "harbour")
      assert.deepStrictEqual([harbour.answer["status"], harbour.answer["team_id"]], ["COMPLETED", "service-desk"])
      assert.include(harbour.prompts, "Knows the machines of Harbour")
      assert.include(harbour.prompts, "Planner")
      assert.notInclude((yield* ask("/teams/service-desk", "mill")).prompts, "Planner")
      assert.strictEqual((yield* ask("/teams/service-desk", "moon")).status, 400)
    }))

  it.effect("the workflow checks the machines of the site", () =>
    Effect.gen(function*() {
      const content = (site: string) => Effect.map(ask("/workflows/checkup", site), ({ answer }) => answer["content"])
      assert.strictEqual(yield* content("harbour"), "Too warm at Harbour: pump.")
      assert.strictEqual(yield* content("mill"), "Too warm at Mill: saw.")
    }))
})

describe("layers", () => {
  it.effect("the agent rolls as many dice as requested, with a tool written as an Effect", () =>
    Effect.gen(function*() {
      const { answer } = yield* run(gameMaster, "I jump", [
        [ScriptedModel.toolCall("roll_dice", { dice: 3, sides: 6 })],
        [ScriptedModel.text("You land.")]
      ])
      const rolled: ReadonlyArray<number> = JSON.parse(answer["tools"][0].result)
      assert.strictEqual(rolled.length, 3)
      assert.isTrue(rolled.every((value) => value >= 1 && value <= 6))
    }))
})
