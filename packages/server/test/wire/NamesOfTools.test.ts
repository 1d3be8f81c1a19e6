// Several tools of one name, of tool sources, of the agent and of the client: a person decides on a call of one of
// them, and no other one executes it.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer } from "effect"
import { ask, at, failed, get, list, post, serve, undecided } from "../Wire.ts"

Tier.oneIn(6)

const text = { type: "string" }

/** What the servers have executed, and how they are. */
const servers = () => {
  const done: Array<string> = []
  const states: Record<string, "away" | "empty" | "up"> = { A: "up", B: "up" }
  const opened: Record<string, number> = {}
  const tool = (of: string, second: string, further: object) => {
    const { decode: _, ...made } = Tool.make({
      name: "buy",
      parameters: { type: "object", properties: { item: text, [second]: text }, required: ["item"] },
      execute: (args) => (done.push(`${of} ${JSON.stringify(args)}`), `bought by ${of}`),
      ...further
    })
    return made
  }
  /** `openings`: after so many it is away. */
  const source = (name: string, second: string, further: object, openings = Infinity): ToolSource => ({
    _tag: "ToolSource",
    name,
    open: Effect.sync(() => {
      opened[name] = (opened[name] ?? 0) + 1
      return states[name] === "away" || (opened[name] ?? 0) > openings
        ? { tools: [], problem: `The MCP server ${name} does not reply` }
        : { tools: states[name] === "empty" ? [] : [tool(name, second, further)], problem: undefined }
    }),
    last: () => undefined
  })
  return { done, source, states, tool }
}

const buying = Effect.map(
  Script.make([[Script.toolCall("buy", { item: "tea" }, "buy_1")], [Script.text("Done.")]]),
  (script) => script
)

type Fields = Readonly<Record<string, string>>

const places = ["agents/buyer", "teams/team", "workflows/flow"] as const
const doors = ["continue", "resolve"] as const

/** A paused run with a call of A, and what decides it. */
const waiting = Effect.fnUntraced(
  function*(place: typeof places[number], door: typeof doors[number], openings?: number) {
    const { done, source, states } = servers()
    const further = door === "resolve" ? { approval: "required" } : { requiresConfirmation: true }
    const { model, prompts } = yield* buying
    const tools = [source("A", "qty", further, openings), source("B", "color", {})]
    const agent = Agent.make({ id: "buyer", model, tools })
    const leader = yield* Script.make([
      [Script.toolCall("delegate_task_to_member", { member_id: "buyer", task: "buy" }, "d")],
      [Script.text("Done.")]
    ])
    const server = yield* serve({
      agents: [agent],
      teams: [Team.make({ id: "team", model: leader.model, members: [agent] })],
      workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "buy", agent })] })]
    })
    const request = (path: string, fields: Fields) =>
      ask(server, `/${place}/runs${path}`, {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
      })
    yield* request("", { message: "go", run_id: "r" })
    const run = Effect.map(get(server, `/${place}/runs/r?session_id=s`), ({ json }) => json)
    const paused = yield* run
    assert.strictEqual(at(paused, "status"), "PAUSED", JSON.stringify(paused))
    const decided = (decision: object) => (requirement: unknown) => ({
      ...requirement as object,
      tool_execution: { ...at(requirement, "tool_execution") as object, ...decision }
    })
    const continued = (decision: object) => {
      const step = place === "workflows/flow" ? at(paused, "step_requirements", 0) : undefined
      const requirements = list(step ?? paused, step === undefined ? "requirements" : "executor_requirements")
        .map(decided(decision))
      return request(
        "/r/continue",
        step === undefined
          ? { requirements: JSON.stringify(requirements) }
          : { step_requirements: JSON.stringify([{ ...step as object, executor_requirements: requirements }]) }
      )
    }
    const approval = Effect.map(get(server, "/approvals"), ({ json }) => at(json, "data", 0))
    const resolved = (status: string, tool_args?: object) =>
      Effect.flatMap(approval, (found) =>
        post(server, `/approvals/${String(at(found, "id"))}/resolve`, {
          status,
          ...(tool_args === undefined ? {} : { resolution_data: { tool_args } })
        }))
    const confirm = (tool_args?: object) =>
      door === "resolve"
        ? resolved("approved", tool_args)
        : continued({ confirmed: true, ...(tool_args === undefined ? {} : { tool_args }) })
    const reject = door === "resolve" ? resolved("rejected") : continued({ confirmed: false })
    /** Nothing was decided. */
    const isWaiting = Effect.gen(function*() {
      assert.deepStrictEqual(done, [])
      assert.strictEqual(at(yield* run, "status"), "PAUSED")
      if (door === "resolve") assert.strictEqual(at(yield* approval, "status"), "pending")
    })
    /** An approval is followed in the background. */
    const ended = Effect.gen(function*() {
      while (at(yield* run, "status") !== "COMPLETED") yield* Effect.yieldNow
    })
    return { confirm, done, ended, isWaiting, prompts, reject, states }
  }
)

const cases = places.flatMap((place) => doors.map((door) => [place, door] as const))

describe("a call of a tool source while another source has a tool of its name", () => {
  it.effect.each(cases)("%s, %s: a decision is 503 while its own source is away, and nothing is decided", ([
    place,
    door
  ]) =>
    Effect.gen(function*() {
      const { confirm, done, ended, isWaiting, states } = yield* waiting(place, door)
      states["A"] = "away"
      for (const args of [undefined, { item: "tea", color: "red" }, { item: "tea", qty: "9" }]) {
        failed(yield* confirm(args), 503, "SERVICE_UNAVAILABLE", /buy \(buy_1\) cannot be .* now\. A: The MCP server A/)
        yield* isWaiting
      }
      states["A"] = "up"
      undecided(yield* confirm({ item: "tea", color: "red" }), /there is no 'color'/)
      const taken = yield* confirm({ item: "tea", qty: "9" })
      assert.strictEqual(taken.status, 200, taken.text)
      yield* ended
      assert.deepStrictEqual(done, [`A {"item":"tea","qty":"9"}`])
    }))

  it.effect.each(cases)("%s, %s: the call is refused if its source has no such tool any more, and can be rejected", ([
    place,
    door
  ]) =>
    Effect.gen(function*() {
      const { confirm, done, ended, isWaiting, reject, states } = yield* waiting(place, door)
      states["A"] = "empty"
      for (const args of [undefined, { item: "tea", qty: "9" }, { item: "tea", color: "red" }]) {
        undecided(yield* confirm(args), /buy.* cannot be called: 'A' does not offer it any more/)
        yield* isWaiting
      }
      const rejected = yield* reject
      assert.strictEqual(rejected.status, 200, rejected.text)
      yield* ended
      assert.deepStrictEqual(done, [])
    }))

  it.effect.each(cases)("%s, %s: a rejection needs no source", ([place, door]) =>
    Effect.gen(function*() {
      const { done, ended, reject, states } = yield* waiting(place, door)
      states["A"] = "away"
      const rejected = yield* reject
      assert.strictEqual(rejected.status, 200, rejected.text)
      yield* ended
      assert.deepStrictEqual(done, [])
    }))

  it.effect.each(cases)("%s, %s: the model reads that the source is away, if it goes after the decision", ([
    place,
    door
  ]) =>
    Effect.gen(function*() {
      // it is asked at the start, before the decision, and when the run resumes
      const { confirm, done, ended, prompts } = yield* waiting(place, door, 2)
      const taken = yield* confirm()
      assert.strictEqual(taken.status, 200, taken.text)
      yield* ended
      assert.deepStrictEqual(done, [])
      assert.include(
        JSON.stringify(yield* prompts),
        "The tool 'buy' is not available now: its server 'A' is not reachable. Nothing was done"
      )
    }))
})

const delegating = Script.make([
  [Script.toolCall("delegate_task_to_member", { member_id: "buyer", task: "buy" }, "d")],
  [Script.text("Done.")]
])

/** The journals of earlier versions do not have who offers the tool of a call. */
const withoutOffers = <A>(database: Context.Context<A | RunStore>) => {
  const runs = Context.get(database, RunStore)
  const formerly = (entry: object) => JSON.parse(JSON.stringify(entry).replaceAll(",\"offered_by\":\"agent\"", ""))
  return Context.add(database, RunStore, {
    ...runs,
    record: (recorded) => runs.record({ ...recorded, entry: formerly(recorded.entry) })
  })
}

/** What decides about a call that an approval of an earlier process is about, when the agent has other tools. */
const upgraded = Effect.fnUntraced(function*(
  place: typeof places[number],
  former: Agent.Options["tools"],
  now: Agent.Options["tools"],
  isOfEarlier = false
) {
  const { model } = yield* buying
  const leader = yield* delegating
  const database = yield* Layer.build(TestDatabase.layer)
  const serving = (tools: Agent.Options["tools"], kept = database) => {
    const stores = Layer.merge(Layer.succeedContext(kept), Notifications.layerNone)
    const agent = Agent.make({ id: "buyer", model, tools })
    return serve({
      agents: [agent],
      teams: [Team.make({ id: "team", model: leader.model, members: [agent] })],
      workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "buy", agent })] })],
      stores,
      accounts: stores
    })
  }
  const before = yield* serving(former, isOfEarlier ? withoutOffers(database) : database)
  yield* post(before, `/${place}/runs`, { session_id: "s", stream: false, message: "go", run_id: "r" })
  const after = yield* serving(now)
  const approval = Effect.map(get(after, "/approvals"), ({ json }) => at(json, "data", 0))
  const path = `/approvals/${String(at(yield* approval, "id"))}/resolve`
  return { after, approval, resolve: (body: object) => post(after, path, body) }
})

describe("a tool whose name another one gets while a call waits", () => {
  const paused = Effect.fnUntraced(function*(toolsNow: () => Agent.Options["tools"], fields: Fields = {}) {
    const { model } = yield* buying
    const build = ({ id }: { readonly id: string }) => Agent.make({ id, model, tools: toolsNow() })
    const server = yield* serve({ agents: [AgentFactory.make({ id: "buyer", build })] })
    const request = (path: string, given: object) =>
      post(server, `/agents/buyer/runs${path}`, { session_id: "s", stream: false, ...given })
    const { json } = yield* request("", { message: "go", run_id: "r", ...fields })
    assert.strictEqual(at(json, "status"), "PAUSED")
    const tools = list(json, "tools").map((tool) => ({ ...tool as object, confirmed: true }))
    return {
      tool: at(json, "tools", 0),
      confirm: (further: object = {}) => request("/r/continue", { tools, ...further })
    }
  })

  it.effect("the call of a source that is the second one by then is executed by it", () =>
    Effect.gen(function*() {
      const { done, source, states } = servers()
      const tools = [source("A", "qty", {}), source("B", "color", { requiresConfirmation: true })]
      states["A"] = "away"
      const { confirm, tool } = yield* paused(() => tools)
      assert.strictEqual(at(tool, "tool_source"), "B")
      states["A"] = "up"
      assert.strictEqual(at((yield* confirm()).json, "status"), "COMPLETED")
      assert.deepStrictEqual(done, [`B {"item":"tea"}`])
    }))

  it.effect("the call of a source is executed by it when the agent has a tool of the name", () =>
    Effect.gen(function*() {
      const { done, source, tool } = servers()
      const own = [tool("own", "qty", {})]
      const tools = [source("A", "qty", { requiresConfirmation: true })]
      let isOwned = false
      const { confirm } = yield* paused(() => isOwned ? [...own, ...tools] : tools)
      isOwned = true
      assert.strictEqual(at((yield* confirm()).json, "status"), "COMPLETED")
      assert.deepStrictEqual(done, [`A {"item":"tea"}`])
    }))

  it.effect("the call of a tool that the agent had is not executed by a source", () =>
    Effect.gen(function*() {
      const { done, source, tool } = servers()
      const own = [tool("own", "qty", { requiresConfirmation: true })]
      const tools = [source("A", "qty", {})]
      let isOwned = true
      const { confirm, tool: shown } = yield* paused(() => isOwned ? [...own, ...tools] : tools)
      assert.notProperty(shown, "tool_source")
      isOwned = false
      for (const edited of [{}, { tool_args: { item: "milk", color: "red" } }]) {
        const tools = [{ ...shown as object, confirmed: true, ...edited }]
        undecided(yield* confirm({ tools }), /buy \(buy_1\) cannot be called: the agent has no such tool any more/)
      }
      assert.deepStrictEqual(done, [])
    }))

  it.effect("the call of a source that the agent has no more is refused", () =>
    Effect.gen(function*() {
      const { done, source } = servers()
      const tools = [source("A", "qty", { requiresConfirmation: true }), source("B", "color", {})]
      let isThere = true
      const { confirm } = yield* paused(() => isThere ? tools : tools.slice(1))
      isThere = false
      undecided(yield* confirm(), /buy \(buy_1\) cannot be called: there is no 'A' any more/)
      assert.deepStrictEqual(done, [])
    }))

  it.effect.each(
    [
      ...places.map((place) => ({
        kind: "a source",
        place,
        problem: /buy cannot be called: there is no 'A' any more/
      })),
      {
        kind: "a tool",
        place: "agents/buyer",
        problem: /buy cannot be called: the agent has no such tool any more/
      }
    ]
  )(
    "$place: the approval of a call of $kind that the agent has no more is refused, and stays pending",
    ({ kind, place, problem }) =>
      Effect.gen(function*() {
        const { done, source, tool } = servers()
        const { model } = yield* buying
        const stores = Layer.merge(
          Layer.succeedContext(yield* Layer.build(TestDatabase.layer)),
          Notifications.layerNone
        )
        // what it makes is not around the call
        const unrelated = AgentFactory.make({
          id: "unrelated",
          build: ({ id }) => Agent.make({ id, model, tools: [] })
        })
        const leader = yield* Script.make([
          [Script.toolCall("delegate_task_to_member", { member_id: "buyer", task: "buy" }, "d")],
          [Script.text("Done.")]
        ])
        const serving = (tools: Agent.Options["tools"]) => {
          const agent = Agent.make({ id: "buyer", model, tools })
          return serve({
            agents: [agent, unrelated],
            teams: [Team.make({ id: "team", model: leader.model, members: [agent] })],
            workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "buy", agent })] })],
            stores,
            accounts: stores
          })
        }
        const former = kind === "a tool"
          ? tool("own", "qty", { approval: "required" })
          : source("A", "qty", { approval: "required" })
        const before = yield* serving(kind === "a tool" ? [former] : [former, source("B", "color", {})])
        yield* post(before, `/${place}/runs`, { session_id: "s", stream: false, message: "go", run_id: "r" })
        const others = [source("C", "qty", { approval: "required" }), source("B", "color", {})]
        const after = yield* serving(kind === "a tool" ? [] : others)
        const approval = Effect.map(get(after, "/approvals"), ({ json }) => at(json, "data", 0))
        const path = `/approvals/${String(at(yield* approval, "id"))}/resolve`
        const tool_args = { item: "milk", qty: "2" }
        for (const resolution_data of [null, { tool_args }]) {
          undecided(yield* post(after, path, { status: "approved", resolution_data }), problem)
        }
        assert.strictEqual(at(yield* approval, "status"), "pending")
        assert.strictEqual((yield* post(after, path, { status: "rejected" })).status, 200)
        assert.deepStrictEqual(done, [])
      })
  )

  it.effect.each(places)(
    "%s: the approval of a call of a tool that the agent has no more is not for a source with a tool of its name",
    (place) =>
      Effect.gen(function*() {
        const { done, source, tool } = servers()
        const { after, approval, resolve } = yield* upgraded(
          place,
          [tool("own", "qty", { approval: "required" })],
          [source("A", "qty", {})]
        )
        for (const resolution_data of [null, { tool_args: { item: "milk", qty: "2" } }]) {
          undecided(
            yield* resolve({ status: "approved", resolution_data }),
            /buy cannot be called: the agent has no such tool any more/
          )
        }
        assert.strictEqual(at(yield* approval, "status"), "pending")
        const run = Effect.map(get(after, `/${place}/runs/r?session_id=s`), ({ json }) => json)
        assert.strictEqual(at(yield* run, "status"), "PAUSED")
        assert.strictEqual((yield* resolve({ status: "rejected" })).status, 200)
        while (at(yield* run, "status") !== "COMPLETED") yield* Effect.yieldNow
        assert.deepStrictEqual(done, [])
      })
  )

  it.effect("a run of an earlier version does not say whose tool it calls: one of its name that is left executes the call", () =>
    Effect.gen(function*() {
      const { done, source, tool } = servers()
      const { resolve } = yield* upgraded(
        "agents/buyer",
        [tool("own", "qty", { approval: "required" })],
        [source("A", "qty", {})],
        true
      )
      undecided(yield* resolve({ status: "approved", resolution_data: { tool_args: { size: "2" } } }), /item/)
      const resolved = yield* resolve({ status: "approved" })
      assert.strictEqual(resolved.status, 200, resolved.text)
      while (done.length === 0) yield* Effect.yieldNow
      assert.deepStrictEqual(done, [`A {"item":"tea"}`])
    }))

  it.effect.each(["agent", "team"] as const)(
    "edited arguments fit the tool of the %s that a factory makes, not one that is served under its id",
    (kind) =>
      Effect.gen(function*() {
        const { done, tool } = servers()
        const { model } = yield* buying
        const leader = yield* delegating
        const made = ({ id }: { readonly id: string }) =>
          Agent.make({
            id: kind === "agent" ? id : "buyer",
            model,
            tools: [tool("made", "qty", { approval: "required" })]
          })
        const served = Agent.make({ id: "buyer", model, tools: [tool("served", "color", { approval: "required" })] })
        const server = yield* serve(
          kind === "agent"
            ? {
              agents: [AgentFactory.make({ id: "buyer", build: made })],
              teams: [Team.make({ id: "other", model, members: [served] })]
            }
            : {
              agents: [served],
              teams: [TeamFactory.make({
                id: "team",
                build: ({ id }) => Team.make({ id, model: leader.model, members: [made({ id })] })
              })]
            }
        )
        const path = kind === "agent" ? "agents/buyer" : "teams/team"
        yield* post(server, `/${path}/runs`, { session_id: "s", stream: false, message: "go", run_id: "r" })
        const id = String(at((yield* get(server, "/approvals")).json, "data", 0, "id"))
        const approve = (tool_args: object) =>
          post(server, `/approvals/${id}/resolve`, { status: "approved", resolution_data: { tool_args } })
        undecided(yield* approve({ item: "tea", color: "red" }), /there is no 'color' \(it takes item, qty\)/)
        assert.strictEqual((yield* approve({ item: "tea", qty: "2" })).status, 200)
        while (done.length === 0) yield* Effect.yieldNow
        assert.deepStrictEqual(done, [`made {"item":"tea","qty":"2"}`])
      })
  )

  it.effect("the approval of a member that a factory makes counts, though an agent has its id and no source", () =>
    Effect.gen(function*() {
      const { done, source } = servers()
      const { model } = yield* buying
      const leader = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "buyer", task: "buy" }, "d")],
        [Script.text("Done.")]
      ])
      const buyer = Agent.make({ id: "buyer", model, tools: [source("A", "qty", { approval: "required" })] })
      const build = ({ id }: { readonly id: string }) => Team.make({ id, model: leader.model, members: [buyer] })
      const server = yield* serve({
        agents: [Agent.make({ id: "buyer", model })],
        teams: [TeamFactory.make({ id: "team", build })]
      })
      yield* post(server, "/teams/team/runs", { session_id: "s", stream: false, message: "go", run_id: "r" })
      const { json } = yield* get(server, "/approvals")
      const path = `/approvals/${String(at(json, "data", 0, "id"))}/resolve`
      const resolved = yield* post(server, path, { status: "approved" })
      assert.strictEqual(resolved.status, 200, resolved.text)
      while (done.length === 0) yield* Effect.yieldNow
      assert.deepStrictEqual(done, [`A {"item":"tea"}`])
    }))

  it.effect("the call of a source is not one of the client, and the other way round", () =>
    Effect.gen(function*() {
      const client_tools = [{ name: "buy", description: "Buys", parameters: { type: "object" } }] as never
      const { done, source, states } = servers()
      const tools = [source("A", "qty", { requiresConfirmation: true })]
      const ofSource = yield* paused(() => tools, { client_tools })
      states["A"] = "away"
      failed(yield* ofSource.confirm(), 503, "SERVICE_UNAVAILABLE", /buy/)
      const ofClient = yield* paused(() => tools, { client_tools })
      assert.isTrue(at(ofClient.tool, "external_execution_required"))
      assert.notProperty(ofClient.tool, "tool_source")
      states["A"] = "up"
      undecided(yield* ofClient.confirm(), /requires external execution/)
      assert.deepStrictEqual(done, [])
    }))
})
