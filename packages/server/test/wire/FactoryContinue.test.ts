// Runs of a factory's agent that continue after a pause: the factory makes the agent again for the caller who
// continues, without input, or with that of the run's start if the author wants it.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import type { FactoryContext } from "@svc-runtime/agents/factory/FactoryContext"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, claims, closed, theIssuer, token } from "../authorization/Closed.ts"
import { at, failed, type Fields, frames, kindsOf, list, serve } from "../Wire.ts"
import { Tenant, tenant } from "./Factories.ts"

Tier.oneIn(6)

interface Given {
  readonly tool?: Partial<Tool.Options<undefined>>
  /** Whether the factory makes an agent for this one. */
  readonly admits?: (context: FactoryContext<unknown>) => boolean
  readonly server?: TestServer.Options
  readonly continueInput?: "none" | "stored"
}

/** A factory whose agent asks before it sends something. */
const started = Effect.fnUntraced(function*({ admits = () => true, continueInput, server, tool }: Given = {}) {
  const seen: Array<FactoryContext<typeof Tenant.Type>> = []
  const closed: Array<number> = []
  const { model } = yield* Script.make([
    [Script.toolCall("send", {}, "call_1")],
    ...Array.from({ length: 5 }, () => [Script.text("Done.")])
  ])
  const factory = AgentFactory.make({
    id: "made",
    inputSchema: Tenant,
    continueInput,
    build: (context) => {
      const time = seen.push(context)
      context.onClose(() => void closed.push(time))
      if (!admits(context)) throw new FactoryPermissionError({ message: "Not for you" })
      const tenant = context.input?.tenant ?? "none"
      const execute = () => `sent ${time} for ${tenant}`
      const send = Tool.make({ name: "send", execute, requiresConfirmation: true, ...tool })
      return Agent.make({ id: "made", model, tools: [send] })
    }
  })
  return { closed, seen, server: yield* serve({ agents: [factory], ...server }) }
})

const post = (
  server: TestServer.TestServer,
  path: string,
  fields: Fields,
  { bearer, key }: { readonly bearer?: string | undefined; readonly key?: string } = {}
) =>
  call(server, {
    path: `/agents/made/runs${path}`,
    init: {
      method: "POST",
      headers: key === undefined ? {} : { "idempotency-key": key },
      body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
    }
  }, bearer)

const begin = (server: TestServer.TestServer, bearer?: string) =>
  post(server, "", { message: "x", run_id: "r", user_id: "ann", ...tenant("acme") }, { bearer })

const confirmed = { tools: JSON.stringify([{ tool_call_id: "call_1", confirmed: true }]) }

const closedAll = (all: ReadonlyArray<number>, count: number) =>
  Effect.repeat(Effect.yieldNow, { until: () => all.length === count })

describe("POST /agents/{id}/runs/{run_id}/continue on a factory", () => {
  it.effect("the agent is made again without input", () =>
    Effect.gen(function*() {
      const { closed, seen, server } = yield* started()
      assert.strictEqual(at((yield* begin(server)).json, "status"), "PAUSED")
      yield* closedAll(closed, 1)
      const answer = yield* post(server, "/r/continue", confirmed)
      assert.deepInclude(answer.json, { status: "COMPLETED", content: "Done.", run_id: "r" })
      assert.strictEqual(at(answer.json, "tools", 0, "result"), "sent 2 for none")
      assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "acme" }, null])
      const identities = seen.map(({ sessionId, userId }) => [String(userId), sessionId])
      assert.deepStrictEqual(identities, [["ann", "s"], ["null", "s"]])
      assert.strictEqual(seen[1]?.request?.url, "/agents/made/runs/r/continue")
      yield* closedAll(closed, 2)
    }))

  for (const factory_input of [`{"tenant":"victim"}`, "not json", "[]"]) {
    it.effect(`the factory_input of the request that continues the run is not read: ${factory_input}`, () =>
      Effect.gen(function*() {
        for (const continueInput of ["none", "stored"] as const) {
          const { seen, server } = yield* started({ continueInput })
          yield* begin(server)
          const answer = yield* post(server, "/r/continue", { ...confirmed, factory_input })
          assert.strictEqual(at(answer.json, "status"), "COMPLETED")
          assert.deepStrictEqual(seen[1]?.input, continueInput === "stored" ? { tenant: "acme" } : null)
        }
      }))
  }

  it.effect("the agent is made again with the input of the run's start, if its author wants that", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started({ continueInput: "stored" })
      yield* begin(server)
      const answer = yield* post(server, "/r/continue", confirmed)
      assert.strictEqual(at(answer.json, "tools", 0, "result"), "sent 2 for acme")
      assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "acme" }, { tenant: "acme" }])
    }))

  it.effect("the continuation is streamed", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      yield* begin(server)
      const answer = yield* post(server, "/r/continue", { ...confirmed, stream: "true" })
      const kinds = kindsOf(frames(answer.text))
      assert.deepStrictEqual([kinds[0], kinds.at(-1)], ["RunContinued", "RunCompleted"])
    }))

  it.effect("the factory gets the caller who continues, with the claims of their token", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started({ server: { authorization: yield* closed } })
      const issuer = yield* theIssuer
      const ann = yield* issuer.sign({ ...claims("ann", ["agents:run"]), plan: "gold" })
      yield* begin(server, ann)
      yield* post(server, "/r/continue", confirmed, { bearer: ann })
      assert.deepInclude(seen[1]?.trusted.claims, { sub: "ann", plan: "gold" })
      assert.deepStrictEqual(seen[1]?.trusted.scopes, new Set(["agents:run"]))
    }))

  it.effect("the factory gets the caller who continues the run, and separately the owner of the run", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started()
      yield* begin(server)
      yield* post(server, "/r/continue", { ...confirmed, user_id: "bob" })
      assert.strictEqual(seen[0]?.run, null)
      assert.strictEqual(seen[1]?.userId, "bob")
      assert.deepStrictEqual<unknown>(seen[1]?.run, { id: "r", userId: "ann", sessionId: "s" })
    }))

  it.effect("the factory gets the user of the token, whatever the form names", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started({ server: { authorization: yield* closed } })
      const ann = yield* token("ann", "agents:run")
      yield* begin(server, ann)
      yield* post(server, "/r/continue", { ...confirmed, user_id: "bob" }, { bearer: ann })
      assert.strictEqual(seen[1]?.userId, "ann")
    }))

  it.effect("a form that claims a reserved principal is refused", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started()
      yield* begin(server)
      failed(yield* post(server, "/r/continue", { ...confirmed, user_id: "sa:nightly" }), 403, "FORBIDDEN")
      assert.strictEqual(seen.length, 1)
    }))

  it.effect("a run whose factory refuses stays as it is, and its key can be used again", () =>
    Effect.gen(function*() {
      let isAdmitted = true
      const { closed, server } = yield* started({ admits: () => isAdmitted })
      yield* begin(server)
      isAdmitted = false
      for (const stream of ["true", "false"]) {
        const refused = yield* post(server, "/r/continue", { ...confirmed, stream }, { key: "k" })
        failed(refused, 403, "FORBIDDEN", "Not for you")
      }
      yield* closedAll(closed, 3)
      isAdmitted = true
      const answer = yield* post(server, "/r/continue", confirmed, { key: "k" })
      assert.deepInclude(answer.json, { status: "COMPLETED", content: "Done." })
      yield* closedAll(closed, 4)
    }))

  it.effect("an agent is made for a new run that continues an ended one, which keeps no factory_input", () =>
    Effect.gen(function*() {
      const { closed, seen, server } = yield* started({ continueInput: "stored" })
      yield* begin(server)
      yield* post(server, "/r/continue", confirmed)
      const another = yield* post(server, "/r/continue", { input: "And now?" })
      assert.deepInclude(another.json, { status: "COMPLETED", content: "Done.", agent_id: "made" })
      assert.notStrictEqual(at(another.json, "run_id"), "r")
      assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "acme" }, { tenant: "acme" }, null])
      yield* closedAll(closed, 3)
    }))
})

describe("an approval of what a factory's agent wants to do", () => {
  const waiting = Effect.fnUntraced(function*(admits: Given["admits"]) {
    const { seen, server } = yield* started({
      ...(admits === undefined ? {} : { admits }),
      tool: { approval: "required" },
      server: { authorization: yield* closed }
    })
    const [ann, chief] = [
      yield* token("ann", "agents:run", "agents:read"),
      yield* token("chief", "platform:admin")
    ]
    const paused = yield* begin(server, ann)
    const path = `/approvals/${encodeURIComponent(String(at(paused.json, "tools", 0, "approval_id")))}/resolve`
    const headers = { "content-type": "application/json" }
    const init = { method: "POST", headers, body: JSON.stringify({ status: "approved" }) }
    assert.strictEqual((yield* call(server, { path, init }, chief)).status, 200)
    const stored = call(server, { path: "/agents/made/runs/r?session_id=s" }, ann)
    return { ann, seen, server, stored }
  })

  it.effect("an approved run resumes with an agent that is made for the run alone", () =>
    Effect.gen(function*() {
      const { seen, stored } = yield* waiting(undefined)
      yield* Effect.repeat(stored, { until: ({ json }) => at(json, "status") === "COMPLETED" })
      // the second one was asked whether it can make the call
      assert.deepInclude(seen[1], { input: { tenant: "acme" }, request: null })
      assert.strictEqual(at((yield* stored).json, "tools", 0, "result"), "sent 3 for acme")
      assert.deepStrictEqual([String(seen[1]?.userId), seen[1]?.trusted.scopes.size], ["ann", 0])
    }))

  it.effect("an approved run waits for the caller who started it, where the factory needs a caller", () =>
    Effect.gen(function*() {
      const { ann, server, stored } = yield* waiting(({ trusted }) => trusted.claims["sub"] === "ann")
      assert.strictEqual(at((yield* stored).json, "status"), "PAUSED")
      const answer = yield* post(server, "/r/continue", {}, { bearer: ann })
      assert.deepInclude(answer.json, { status: "COMPLETED", content: "Done." })
      assert.strictEqual(list(answer.json, "tools").length, 1)
    }))
})
