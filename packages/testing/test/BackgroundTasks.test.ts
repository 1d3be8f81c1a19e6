// Components that work in the background of a session: the handle, the result, and what cancels them.
import { Agent, ComponentTool, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { assert, describe, it } from "vitest"
import { delay, scriptedModel, testService, text, toolCall } from "../src/index.ts"

Tier.oneIn(4)

const tasksOf = async (service: Awaited<ReturnType<typeof testService>>, session: string) => {
  const response = await service.fetch(`/sessions/${session}/tasks`)
  assert.strictEqual(response.status, 200)
  return (await response.json() as { data: Array<Record<string, unknown>> }).data
}

const runsOf = async (service: Awaited<ReturnType<typeof testService>>, session: string) =>
  await (await service.fetch(`/sessions/${session}/runs`)).json() as Array<Record<string, unknown>>

const ended = (service: Awaited<ReturnType<typeof testService>>, session: string) =>
  service.until(async () => {
    const [tasks, runs] = [await tasksOf(service, session), await runsOf(service, session)]
    return tasks.length > 0 && tasks.every(({ ended_at }) => ended_at !== null) &&
      runs.every(({ status }) => status !== "RUNNING" && status !== "PENDING")
  })

type Turns = Parameters<typeof scriptedModel>[0]

/** An assistant that gives its task away, and reads the result in another run. */
const assistantWith = (
  background: ComponentTool.Options["background"],
  turns: Turns,
  answer: Turns = ["Tea is old."]
) => {
  const researcher = Agent.make({ id: "researcher", role: "Researches", model: scriptedModel(answer) })
  const model = scriptedModel(turns)
  const assistant = Agent.make({
    id: "assistant",
    model,
    addHistoryToContext: true,
    tools: [ComponentTool.make({ component: researcher, background })]
  })
  return { agents: [assistant, researcher], model }
}

const call = toolCall("researcher", { task: "Find out about tea" })

describe("a component in the background", () => {
  it("the call returns a handle at once, and the result wakes the agent in a run of its own", async () => {
    const { agents, model } = assistantWith(true, [call, "I am looking.", "Tea is old, I hear."], [
      [delay("2 seconds"), text("Tea is old.")]
    ])
    await using service = await testService({ agents })
    const run = await service.agent("assistant").run({ message: "What about tea?", session_id: "s" })
    assert.strictEqual(run.content, "I am looking.")
    const [handle] = run.toolCalls
    assert.match(String(handle?.result), /"status":"running"/)
    const [running] = await tasksOf(service, "s")
    assert.deepInclude(running, { tool_name: "researcher", parent_run_id: run.output.run_id, result: null })
    await ended(service, "s")
    const [task, ...others] = await tasksOf(service, "s")
    assert.deepStrictEqual(others, [])
    assert.deepInclude(task, { status: "COMPLETED", result: "Tea is old." })
    const runs = await runsOf(service, "s")
    assert.deepStrictEqual(runs.map(({ run_id }) => run_id), [run.output.run_id, task?.["result_run_id"]])
    assert.strictEqual(runs[1]?.["content"], "Tea is old, I hear.")
    assert.include(JSON.stringify(model.requests[2]?.prompt), "Tea is old.")
    assert.deepStrictEqual(model.requests[0]?.tools.map(({ name }) => name), [
      "researcher",
      "task_status",
      "cancel_task"
    ])
  })

  it("without wake the result is noted, and the next run of the session shows it", async () => {
    const { agents, model } = assistantWith({ wake: false }, [call, "I am looking.", "It is old."])
    await using service = await testService({ agents })
    await service.agent("assistant").run({ message: "What about tea?", session_id: "s" })
    await ended(service, "s")
    assert.strictEqual(model.requests.length, 2)
    const next = await service.agent("assistant").run({ message: "And?", session_id: "s" })
    assert.strictEqual(next.content, "It is old.")
    assert.include(JSON.stringify(model.requests[2]?.prompt), "Tea is old.")
  })

  it("a client that does not show the result sends its next message, and the model sees the result before it", async () => {
    const { agents, model } = assistantWith({ wake: false }, [call, "I am looking.", "It is old.", "Very old.", "Old."])
    await using service = await testService({ agents })
    const user = (id: string, message: string) => ({ id, role: "user", parts: [{ type: "text", text: message }] })
    const send = async (messages: ReadonlyArray<object>, more: object = {}) => {
      const response = await service.fetch("/agents/assistant/chat", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id: "s", messages, ...more })
      })
      const [, id] = /"messageId":"([^"]+)"/.exec(await response.text()) ?? []
      return { id, role: "assistant", parts: [{ type: "text", text: "An answer" }] }
    }
    const opening = [user("m1", "What about tea?")]
    const first = await send(opening)
    await ended(service, "s")
    const second = await send([...opening, first, user("m2", "And?")])
    assert.include(JSON.stringify(model.requests[2]?.prompt), "Tea is old.")
    await send([...opening, first, user("m2", "Well?")], { messageId: "m2" })
    assert.include(JSON.stringify(model.requests[3]?.prompt), "Tea is old.")
    const runs = await runsOf(service, "s")
    assert.deepStrictEqual(runs.map(({ is_on_path }) => is_on_path), [true, true, false, true])
    assert.strictEqual(runs[2]?.["run_id"], second.id)
    const named = { message: "So?", session_id: "s", previous_run_id: String(first.id), stream: "false" }
    await service.fetch("/agents/assistant/runs", { method: "POST", body: new URLSearchParams(named) })
    assert.include(JSON.stringify(model.requests.at(-1)?.prompt), "Tea is old.")
  })

  it("a task beyond the limit is refused with a sentence that the model reads", async () => {
    const { agents, model } = assistantWith({ limit: 1, wake: false }, [[call, call], "One has begun."])
    await using service = await testService({ agents })
    const run = await service.agent("assistant").run({ message: "Go", session_id: "s" })
    assert.strictEqual(run.toolCalls.filter(({ isError }) => isError).length, 1)
    assert.include(JSON.stringify(model.requests[1]?.prompt), "this session has 1 unfinished background tasks")
    await ended(service, "s")
    assert.strictEqual((await tasksOf(service, "s")).length, 1)
  })

  it("a failure is a result too", async () => {
    const { agents } = assistantWith(true, [call, "I am looking.", "It did not work."], [])
    await using service = await testService({ agents })
    await service.agent("assistant").run({ message: "Go", session_id: "s" })
    await ended(service, "s")
    const [task] = await tasksOf(service, "s")
    assert.strictEqual(task?.["status"], "ERROR")
    assert.strictEqual((await runsOf(service, "s"))[1]?.["content"], "It did not work.")
  })

  it("a task that the model cancels sends no result", async () => {
    const { agents } = assistantWith(true, [
      call,
      ({ prompt }) => {
        const [, id = ""] = /task_id[^0-9a-f]+([0-9a-f-]{36})/.exec(JSON.stringify(prompt)) ?? []
        return toolCall("cancel_task", { task_id: id })
      },
      "Stopped."
    ], [[delay("1 minute")]])
    await using service = await testService({ agents })
    const run = await service.agent("assistant").run({ message: "Go", session_id: "s" })
    assert.strictEqual(run.toolCalls[1]?.result, "It is being cancelled.")
    await ended(service, "s")
    assert.deepInclude((await tasksOf(service, "s"))[0], { status: "CANCELLED", result_run_id: null })
    assert.strictEqual((await runsOf(service, "s")).length, 1)
  })

  it("when the run that started it is cancelled, the task is cancelled with it", async () => {
    const { agents } = assistantWith(true, [call, [delay("2 minutes")]], [[delay("1 minute")]])
    await using service = await testService({ agents })
    const running = service.agent("assistant").run({ message: "Go", session_id: "s", run_id: "r" })
    await service.until(async () => (await (await service.fetch("/sessions/s/tasks")).json()).data?.length === 1)
    await service.fetch("/agents/assistant/runs/r/cancel?session_id=s", { method: "POST" })
    assert.strictEqual((await service.until(running)).status, "CANCELLED")
    await ended(service, "s")
    assert.deepInclude((await tasksOf(service, "s"))[0], { status: "CANCELLED", result_run_id: null })
  })

  it("a task that takes longer than its timeout is cancelled, and the agent reads so", async () => {
    const { agents } = assistantWith({ timeout: "2 seconds" }, [call, "I am looking.", "It took too long."], [
      [delay("1 minute")]
    ])
    await using service = await testService({ agents })
    await service.agent("assistant").run({ message: "Go", session_id: "s" })
    await ended(service, "s")
    assert.deepInclude((await tasksOf(service, "s"))[0], { status: "CANCELLED", result: "It took longer than 2 s." })
    assert.strictEqual((await runsOf(service, "s"))[1]?.["content"], "It took too long.")
  })

  it("a task that waits for a person is decided as any run, and then sends its result", async () => {
    const ask = Tool.make({ name: "ask", requiresConfirmation: true, approval: "required", execute: () => "yes" })
    const researcher = Agent.make({
      id: "researcher",
      model: scriptedModel([toolCall("ask"), "They agreed."]),
      tools: [ask]
    })
    const assistant = Agent.make({
      id: "assistant",
      model: scriptedModel([call, "I am looking.", "They agree."]),
      tools: [ComponentTool.make({ component: researcher, background: true })]
    })
    await using service = await testService({ agents: [assistant, researcher] })
    await service.agent("assistant").run({ message: "Go", session_id: "s" })
    await service.until(async () => (await tasksOf(service, "s"))[0]?.["status"] === "PAUSED")
    const approvals = await (await service.fetch("/approvals")).json() as { data: Array<Record<string, unknown>> }
    const [approval] = approvals.data
    assert.deepInclude(approval, { run_id: (await tasksOf(service, "s"))[0]?.["run_id"], agent_id: "researcher" })
    await service.fetch(`/approvals/${String(approval?.["id"])}/resolve`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ status: "approved" })
    })
    await ended(service, "s")
    assert.deepInclude((await tasksOf(service, "s"))[0], { status: "COMPLETED", result: "They agreed." })
    assert.strictEqual((await runsOf(service, "s"))[1]?.["content"], "They agree.")
  })

  it("when the session is deleted, the run of its task is cancelled, and no session is made for the result", async () => {
    const { agents } = assistantWith(true, [call, "I am looking."], [[delay("1 minute")]])
    await using service = await testService({ agents })
    await service.agent("assistant").run({ message: "Go", session_id: "s" })
    await service.until(async () => (await tasksOf(service, "s"))[0]?.["status"] === "RUNNING")
    const [task] = await tasksOf(service, "s")
    const { run_id, run_session_id } = task as { run_id: string; run_session_id: string }
    await service.fetch("/sessions/s", { method: "DELETE" })
    const status = async () =>
      (await runsOf(service, run_session_id)).find((run) => run["run_id"] === run_id)?.["status"]
    await service.until(async () => (await status()) === "CANCELLED")
    await service.advance("1 minute")
    assert.strictEqual((await service.fetch("/sessions/s")).status, 404)
  })

  it("tasks that are started by the results of each other come to an end", async () => {
    const turns = Array.from({ length: 5 }, (): [typeof call, string] => [call, "Once more."]).flat()
    const { agents, model } = assistantWith(true, [...turns, call, "Enough."], Array.from({ length: 5 }, () => "Old."))
    await using service = await testService({ agents })
    await service.agent("assistant").run({ message: "Go", session_id: "s" })
    await service.until(() => model.remaining === 0)
    await ended(service, "s")
    assert.strictEqual((await tasksOf(service, "s")).length, 5)
    assert.include(JSON.stringify(model.requests.at(-1)?.prompt), "5 background tasks have followed each other")
  })

  it("the streams of all wires name the task where it starts, and the run with its result names it again", async () => {
    const { agents } = assistantWith(true, [
      call,
      "I am looking.",
      "Old.",
      call,
      "I am looking.",
      "Old."
    ], ["Tea is old.", "Tea is old."])
    await using service = await testService({ agents })
    const send = async (path: string, body: object) => {
      const headers = { "content-type": "application/json" }
      const response = await service.fetch(path, { method: "POST", headers, body: JSON.stringify(body) })
      return (await response.text()).split("\n").flatMap((line) => line.startsWith("data: {") ? [line.slice(6)] : [])
    }
    const named = (lines: ReadonlyArray<string>) => lines.filter((line) => line.includes("\"background_task\""))
    const agui = named(
      await send("/agents/assistant/agui", {
        threadId: "s",
        runId: "run-1",
        messages: [{ id: "m1", role: "user", content: "Go" }]
      })
    ).map((line) => JSON.parse(line) as { type: string; name: string; value: { background_task: object } })
    await ended(service, "s")
    const [task] = await tasksOf(service, "s")
    const started = { task_id: task?.["task_id"], status: "running", tool_name: "researcher", run_id: task?.["run_id"] }
    assert.deepInclude(agui[0], { type: "CUSTOM", name: "background_task" })
    assert.deepInclude(agui[0]?.value.background_task, started)
    const result = String(task?.["result_run_id"])
    const events = await (await service.fetch(`/agents/assistant/runs/${result}/events?session_id=s`)).text()
    assert.match(events, /"CustomEvent".*"status":"COMPLETED"/)
    const chat = await send("/agents/assistant/chat", {
      id: "other",
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Go" }] }]
    })
    assert.include(named(chat)[0], "data-background_task")
    await ended(service, "other")
  })

  it("members of a team and workflows work in the background as well", async () => {
    const member = Agent.make({ id: "member", model: scriptedModel(["Done by the member."]) })
    const flow = Workflow.make({ id: "flow", steps: [Step.make({ name: "one", run: () => "Done by the flow." })] })
    const desk = Team.make({
      id: "desk",
      members: [member],
      backgroundMembers: { member: { wake: false } },
      tools: [ComponentTool.make({ component: flow, background: { wake: false } })],
      model: scriptedModel([[
        toolCall("delegate_task_to_member", { member_id: "member", task: "Do it" }),
        toolCall("flow", { task: "Do it" })
      ], "Both have begun."])
    })
    await using service = await testService({ agents: [member], teams: [desk], workflows: [flow] })
    await service.team("desk").run({ message: "Go", session_id: "s" })
    await ended(service, "s")
    const results = (await tasksOf(service, "s")).map(({ result }) => result)
    assert.sameMembers(results, ["Done by the member.", "Done by the flow."])
    assert.strictEqual((await runsOf(service, "s")).length, 3)
  })

  it("in a workflow the component is awaited, because its result would have no reader later", async () => {
    const { agents: [assistant, researcher] } = assistantWith(true, [call, "It is old."])
    const flow = Workflow.make({ id: "flow", steps: [Step.make({ name: "one", agent: assistant! })] })
    await using service = await testService({ agents: [researcher!], workflows: [flow] })
    const run = await service.workflow("flow").run("Go")
    assert.strictEqual(run.content, "It is old.")
    assert.strictEqual(run.status, "COMPLETED")
  })

  it("a service that does not serve the component does not start", async () => {
    const { agents: [assistant] } = assistantWith(true, [])
    const error: unknown = await testService({ agents: [assistant!] }).then(() => undefined, (error: unknown) => error)
    assert.instanceOf(error, Error)
    assert.include(error.message, "so the service has to serve it: add it to the option agents")
  })
})
