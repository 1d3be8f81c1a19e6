// Background tasks whose tool, member or component an upgrade removed while they wait for a person.
import { Agent, AgentFactory, ComponentTool, Team, TeamFactory, Tool } from "@svc-runtime/server"
import { assert, describe, it } from "vitest"
import { scriptedModel, testService, toolCall } from "../src/index.ts"

type Service = Awaited<ReturnType<typeof testService>>

const tasksOf = async (service: Service) =>
  (await (await service.fetch("/sessions/s/tasks")).json() as { data: Array<Record<string, unknown>> }).data

const post = (service: Service, path: string, fields: Record<string, string>) =>
  service.fetch(path, { method: "POST", body: new URLSearchParams(fields) })

/** An assistant and a team whose helper pays in the background, until it or its tool is gone. */
const opened = async (kind: "agents" | "teams") => {
  const [paid, gone]: [Array<number>, { helper: boolean; pay: boolean }] = [[], { helper: false, pay: false }]
  const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => (paid.push(1), "Paid.") })
  const helperModel = scriptedModel([toolCall("pay", {}), "It is paid.", "It is not paid."])
  const helper = () => Agent.make({ id: "helper", model: helperModel, tools: gone.pay ? [] : [pay] })
  const other = Agent.make({ id: "other", model: scriptedModel([]) })
  const call = kind === "agents"
    ? toolCall("helper", { task: "Pay" })
    : toolCall("delegate_task_to_member", { member_id: "helper", task: "Pay" })
  const model = scriptedModel([call, "It is on its way.", "I have read of it."])
  const helperOf = AgentFactory.make({ id: "helper", build: helper })
  const assistant = AgentFactory.make({
    id: "desk",
    build: ({ id }) =>
      Agent.make({
        id,
        model,
        tools: gone.helper ? [] : [ComponentTool.make({ component: helper(), name: "helper", background: true })]
      })
  })
  const team = TeamFactory.make({
    id: "desk",
    build: ({ id }) =>
      Team.make({
        id,
        model,
        members: gone.helper ? [other] : [helper(), other],
        backgroundMembers: gone.helper ? {} : { helper: true }
      })
  })
  const service = await testService(
    kind === "agents" ? { agents: [assistant, helperOf] } : { teams: [team], agents: [helperOf] }
  )
  await post(service, `/${kind}/desk/runs`, { message: "Pay", session_id: "s", stream: "false" })
  await service.until(async () => (await tasksOf(service))[0]?.["status"] === "PAUSED")
  const [task] = await tasksOf(service)
  const [session, run] = [String(task?.["run_session_id"]), String(task?.["run_id"])]
  const path = `/agents/helper/runs/${run}`
  const read = async () =>
    await (await service.fetch(`${path}?session_id=${session}`)).json() as { requirements: Array<{ id: string }> }
  const decide = async (confirmed: boolean) => {
    const requirements = JSON.stringify((await read()).requirements.map(({ id }) => ({ id, confirmation: confirmed })))
    return post(service, `${path}/continue`, { session_id: session, stream: "false", requirements })
  }
  const ended = async () => {
    await service.until(async () => (await tasksOf(service))[0]?.["ended_at"] !== null)
    return (await tasksOf(service))[0]
  }
  return { decide, ended, gone, model, paid, service }
}

describe.each(["agents", "teams"] as const)("a background task of %s that waits for a person", (kind) => {
  it("the task ends, and its result joins the session, after its tool or member was removed", async () => {
    const { decide, ended, gone, model, paid, service } = await opened(kind)
    await using _ = service
    gone.helper = true
    assert.strictEqual((await decide(true)).status, 200)
    assert.deepInclude(await ended(), { status: "COMPLETED", result: "It is paid." })
    await service.until(() => Promise.resolve(model.requests.length === 3))
    assert.include(JSON.stringify(model.requests[2]?.prompt), "It is paid.")
    assert.deepStrictEqual(paid, [1])
  })

  it("the call of a tool that was removed is not made, and can be rejected", async () => {
    const { decide, ended, gone, paid, service } = await opened(kind)
    await using _ = service
    gone.pay = true
    const refused = await decide(true)
    assert.strictEqual(refused.status, 422)
    assert.match(await refused.text(), /pay \(.*\) cannot be called: the agent has no such tool any more/)
    assert.strictEqual((await decide(false)).status, 200)
    assert.deepInclude(await ended(), { status: "COMPLETED" })
    assert.deepStrictEqual(paid, [])
  })
})
