// Runs of a factory's team that continue: the factory makes the team again, members and all, without input, and the
// answer reaches the member that waits.
import { assert, describe, it } from "@effect/vitest"
import type { FactoryContext } from "@svc-runtime/agents/factory/FactoryContext"
import { FactoryPermissionError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { ask, at, failed, type Fields, get, list, serve } from "../Wire.ts"
import { Tenant, tenant } from "./Factories.ts"

const delegate = toolCall("delegate_task_to_member", { member_id: "payer", task: "pay" }, "call_1")

/** A factory whose team has a member that asks before it pays. */
const started = Effect.fnUntraced(function*(admits: () => boolean = () => true) {
  const seen: Array<FactoryContext<typeof Tenant.Type>> = []
  const open = new Set<number>()
  const leader = yield* Script.make([[delegate], [text("All paid.")], [text("Again.")]])
  const payer = yield* Script.make([[toolCall("pay", {}, "pay_1")], [text("I paid.")]])
  const factory = TeamFactory.make({
    id: "made",
    inputSchema: Tenant,
    build: (context) => {
      const time = seen.push(context)
      open.add(time)
      context.onClose(() => void open.delete(time))
      if (!admits()) throw new FactoryPermissionError({ message: "Not for you" })
      const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => `paid by ${time}` })
      const member = Agent.make({ id: "payer", name: "Payer", model: payer.model, tools: [pay] })
      return Team.make({ id: "made", model: leader.model, members: [member] })
    }
  })
  const closed = Effect.repeat(Effect.yieldNow, { until: () => open.size === 0 })
  return { closed, seen, server: yield* serve({ teams: [factory] }) }
})

const post = (server: TestServer.TestServer, path: string, fields: Fields) =>
  ask(server, `/teams/made/runs${path}`, {
    method: "POST",
    body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
  })

const begin = (server: TestServer.TestServer) =>
  post(server, "", { message: "x", run_id: "r", user_id: "ann", ...tenant("acme") })

const confirmed = (run: unknown) => ({
  requirements: JSON.stringify(list(run, "requirements").map((each) => ({ id: at(each, "id"), confirmation: true })))
})

describe("POST /teams/{id}/runs/{run_id}/continue on a factory", () => {
  it.effect("the team is made again without input, whatever the form has, and its member continues", () =>
    Effect.gen(function*() {
      const { closed, seen, server } = yield* started()
      const paused = yield* begin(server)
      assert.strictEqual(at(paused.json, "status"), "PAUSED")
      yield* closed
      const answer = yield* post(server, "/r/continue", { ...confirmed(paused.json), ...tenant("globex") })
      assert.deepInclude(answer.json, { status: "COMPLETED", content: "All paid.", run_id: "r", team_id: "made" })
      const [member] = list(answer.json, "member_responses")
      assert.strictEqual(at(member, "tools", 0, "result"), "paid by 2")
      assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "acme" }, null])
      assert.deepStrictEqual(seen.map(({ userId }) => String(userId)), ["ann", "null"])
      assert.strictEqual(String(seen[1]?.run?.userId), "ann")
      yield* closed
    }))

  it.effect("a run whose factory refuses stays as it is", () =>
    Effect.gen(function*() {
      let isAdmitted = true
      const { closed, server } = yield* started(() => isAdmitted)
      const paused = yield* begin(server)
      isAdmitted = false
      failed(yield* post(server, "/r/continue", confirmed(paused.json)), 403, "FORBIDDEN", "Not for you")
      yield* closed
      assert.strictEqual(at((yield* get(server, "/teams/made/runs/r?session_id=s")).json, "status"), "PAUSED")
    }))

  it.effect("a team is made for a new run that continues an ended one", () =>
    Effect.gen(function*() {
      const { closed, seen, server } = yield* started()
      const paused = yield* begin(server)
      yield* post(server, "/r/continue", confirmed(paused.json))
      const another = yield* post(server, "/r/continue", { input: "And now?" })
      assert.deepInclude(another.json, { status: "COMPLETED", content: "Again.", team_id: "made" })
      assert.notStrictEqual(at(another.json, "run_id"), "r")
      assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "acme" }, null, null])
      yield* closed
    }))
})
