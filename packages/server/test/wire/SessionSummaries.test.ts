// Agents that summarize their sessions, and search past ones.
import { assert, describe, it } from "@effect/vitest"
import * as Session from "@svc/domain/Session"
import type { End } from "@svc/runtime/jobs/Job"
import { Agent, Team } from "@svc/server"
import * as Script from "@svc/testing/ScriptedModel"
import * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect, Fiber } from "effect"
import { at, get, run, runWhole, send } from "../Wire.ts"
import { open as openService, usage, usageOf } from "./Remembering.ts"

const summary = (text: string, ...topics: ReadonlyArray<string>) => [
  Script.text(JSON.stringify({ summary: text, topics }))
]

const answer = [Script.text("Noted.")]

const open = Effect.fnUntraced(function*(...options: Parameters<typeof openService>) {
  const service = yield* openService(...options)
  return {
    ...service,
    jobs: service.summaryJobs,
    summaryOf: (id: string) =>
      Effect.map(
        get(service.server, `/sessions/${id}?type=agent`),
        ({ json }) => at(json, "session_summary", "summary")
      )
  }
})

const fields = { message: "I like tea.", session_id: "s", user_id: "ann" }

const summarizing = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  summaries: ReadonlyArray<Script.Turn>,
  options: Exclude<Agent.Options["sessionSummaries"], boolean | undefined> = {},
  rest: Partial<Agent.Options> = {}
) {
  const [talking, writing] = [yield* Script.make(turns), yield* Script.make(summaries)]
  const agent = Agent.make({
    id: "agent",
    model: talking.model,
    sessionSummaries: { model: writing.model, afterRuns: 1, ...options },
    ...rest
  })
  return { ...(yield* open({ agents: [agent] })), talking, writing }
})

const textOf = ({ prompt }: Script.Call, role: "system" | "user") =>
  prompt.content.flatMap((message) => {
    if (message.role === "system") return role === "system" ? [message.content] : []
    if (message.role !== "user" || role !== "user") return []
    return message.content.flatMap((part) => part.type === "text" ? [part.text] : [])
  }).join("\n")

const held = Effect.gen(function*() {
  const [asked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const wait = Script.wait(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(released)))
  return { wait, asked: Deferred.await(asked), release: Deferred.succeed(released, undefined) }
})

describe("an agent that summarizes its sessions", () => {
  it.live("a session is summarized after its runs, and later runs of this session show the summary", () =>
    Effect.gen(function*() {
      const service = yield* summarizing([answer, answer, answer], [
        summary("Likes tea </summary_of_this_session>.", "tea"),
        summary("Likes tea and trains."),
        summary("Nothing.")
      ])
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      yield* runWhole(service.server, "agent", { ...fields, message: "And trains." })
      assert.strictEqual(yield* service.jobEnd, "Completed")
      yield* runWhole(service.server, "agent", { ...fields, session_id: "other" })
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const [first, second, third] = yield* service.talking.calls
      assert.notInclude(textOf(first!, "system"), "summary_of_this_session")
      assert.include(textOf(second!, "system"), "\nLikes tea &lt;/summary_of_this_session>.\n")
      assert.notInclude(textOf(third!, "system"), "tea")
      const [, request] = yield* service.writing.calls
      assert.include(textOf(request!, "system"), "Likes tea &lt;/summary_of_this_session>.")
      assert.include(textOf(request!, "user"), `{"user":"And trains."}`)
      assert.notInclude(textOf(request!, "user"), "I like tea")
      const { json } = yield* get(service.server, "/sessions/s?type=agent")
      assert.strictEqual(at(json, "session_summary", "summary"), "Likes tea and trains.")
      assert.isString(at(json, "session_summary", "updated_at"))
      const list = yield* get(service.server, "/sessions?type=agent")
      assert.strictEqual(at(list.json, "data", "1", "session_summary", "summary"), "Likes tea and trains.")
    }))

  it.live("a job is stored after enough runs, and not before", () =>
    Effect.gen(function*() {
      const service = yield* summarizing([answer, answer, answer], [summary("All three.")], { afterRuns: 3 })
      for (const message of ["one", "two", "three"]) {
        assert.strictEqual((yield* service.jobs).total, 0)
        yield* runWhole(service.server, "agent", { ...fields, message })
      }
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual((yield* service.jobs).total, 1)
      assert.strictEqual(yield* service.summaryOf("s"), "All three.")
      const [request] = yield* service.writing.calls
      for (const message of ["one", "two", "three"]) assert.include(textOf(request!, "user"), `{"user":"${message}"}`)
    }))

  it.live("the requests for summaries are counted in the metrics of the session", () =>
    Effect.gen(function*() {
      const service = yield* summarizing([answer], [[...summary("Tea."), usage]])
      yield* runWhole(service.server, "agent", fields)
      yield* service.jobEnd
      assert.deepInclude(yield* usageOf(service.server, "session_summary_model"), { input_tokens: 7, output_tokens: 3 })
    }))

  it.live("runs with memory=false, and users who switched memory off, get no summary and see none", () =>
    Effect.gen(function*() {
      const service = yield* summarizing([answer, answer, answer], [summary("Tea.")])
      yield* runWhole(service.server, "agent", fields)
      yield* service.jobEnd
      yield* runWhole(service.server, "agent", { ...fields, memory: "false" })
      yield* send(service.server, "PUT", "/users/ann/memory-settings", { enabled: false })
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual((yield* service.jobs).total, 1)
      const prompts = (yield* service.talking.calls).map((call) => textOf(call, "system"))
      assert.deepStrictEqual(prompts.filter((prompt) => prompt.includes("Tea.")), [])
      assert.strictEqual((yield* service.writing.calls).length, 1)
    }))

  it.live("an answer that is no summary changes nothing, and the job is repeated", () =>
    Effect.gen(function*() {
      for (const text of ["nonsense", JSON.stringify({ summary: "  ", topics: [] }), JSON.stringify({ summary: 1 })]) {
        const service = yield* summarizing([answer], [[Script.text(text)]])
        yield* runWhole(service.server, "agent", fields)
        assert.strictEqual(yield* service.jobEnd, "Retry")
        assert.isUndefined(yield* service.summaryOf("s"))
      }
    }))

  it.live("a summary that is too long is cut", () =>
    Effect.gen(function*() {
      const topics = Array.from({ length: 30 }, () => "t".repeat(500))
      const service = yield* summarizing([answer], [summary("x".repeat(9000), ...topics)])
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const { json } = yield* get(service.server, "/sessions/s?type=agent")
      assert.strictEqual((at(json, "session_summary", "summary") as string).length, 4000)
      const stored = at(json, "session_summary", "topics") as ReadonlyArray<string>
      assert.deepStrictEqual([stored.length, stored[0]?.length], [20, 100])
    }))

  it.live("an attempt whose end was lost is repeated, and asks the model no second time", () =>
    Effect.gen(function*() {
      const [talking, writing] = [yield* Script.make([answer]), yield* Script.make([summary("Tea.")])]
      const agent = Agent.make({
        id: "agent",
        model: talking.model,
        sessionSummaries: { model: writing.model, afterRuns: 1 }
      })
      let isFirst = true
      const service = yield* open({ agents: [agent] }, (end) => {
        const lost: End = isFirst ? { _tag: "Retry", error: "lost", seconds: 0 } : end
        isFirst = false
        return lost
      })
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Retry")
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual((yield* writing.calls).length, 1)
      assert.strictEqual(yield* service.summaryOf("s"), "Tea.")
    }))

  it.live("a summary that a person writes while the model answers is kept, and the attempt is repeated", () =>
    Effect.gen(function*() {
      const { asked, release, wait } = yield* held
      const service = yield* summarizing([answer], [[wait, ...summary("By the model.")]])
      yield* runWhole(service.server, "agent", fields)
      yield* asked
      yield* send(service.server, "PATCH", "/sessions/s", { summary: { summary: "By a person." } })
      yield* release
      assert.strictEqual(yield* service.jobEnd, "Retry")
      assert.strictEqual(yield* service.summaryOf("s"), "By a person.")
    }))

  it.live("a summary that is made while the memory of its user is deleted is not stored", () =>
    Effect.gen(function*() {
      const { asked, release, wait } = yield* held
      const service = yield* summarizing([answer, answer], [[wait, ...summary("Too late.")], summary("Likes milk.")])
      yield* runWhole(service.server, "agent", fields)
      yield* asked
      const { json } = yield* send(service.server, "DELETE", "/users/ann/memory", {})
      assert.deepInclude(json, { memories: 0, learnings: 0, summaries: 0, jobs: 1 })
      yield* release
      assert.strictEqual(yield* service.jobEnd, "Retry")
      assert.isUndefined(yield* service.summaryOf("s"))
      yield* runWhole(service.server, "agent", { ...fields, message: "I like milk." })
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const [, request] = yield* service.writing.calls
      assert.notInclude(textOf(request!, "user"), "tea")
      assert.strictEqual(yield* service.summaryOf("s"), "Likes milk.")
    }))

  it.live("a session that is deleted while it is summarized stays deleted, with its jobs", () =>
    Effect.gen(function*() {
      const { asked, release, wait } = yield* held
      const service = yield* summarizing([answer], [[wait, ...summary("Too late.")]])
      yield* runWhole(service.server, "agent", fields)
      yield* asked
      yield* send(service.server, "DELETE", "/sessions/s?type=agent", {})
      assert.strictEqual((yield* service.jobs).total, 0)
      yield* release
      yield* service.jobEnd
      assert.strictEqual((yield* get(service.server, "/sessions/s?type=agent")).status, 404)
    }))

  it.live("an inline summary is made before the run ends, with a pair of events, and has this run", () =>
    Effect.gen(function*() {
      const service = yield* summarizing([answer, answer], [summary("Two runs.", "tea")], {
        inline: true,
        afterRuns: 2
      })
      const first = yield* run(service.server, "agent", fields)
      assert.notInclude(first.text, "SessionSummary")
      const { text } = yield* run(service.server, "agent", { ...fields, message: "And trains." })
      const kinds = [...text.matchAll(/^event: (.*)$/gm)].map(([, kind]) => kind)
      assert.deepStrictEqual(kinds.slice(-4), [
        "RunContentCompleted",
        "SessionSummaryStarted",
        "SessionSummaryCompleted",
        "RunCompleted"
      ])
      assert.match(text, /"session_summary":\{"summary":"Two runs\.","topics":\["tea"\],"updated_at":"/)
      const [request] = yield* service.writing.calls
      assert.include(textOf(request!, "user"), `{"user":"I like tea."}`)
      assert.include(textOf(request!, "user"), `{"user":"And trains."}`)
      assert.strictEqual((yield* service.jobs).total, 0)
      assert.strictEqual(yield* service.summaryOf("s"), "Two runs.")
    }))

  it.live("a run whose session cannot be summarized inline completes", () =>
    Effect.gen(function*() {
      const service = yield* summarizing([answer], [[Script.text("nonsense")]], { inline: true })
      const { text } = yield* run(service.server, "agent", fields)
      assert.include(text, "event: SessionSummaryCompleted")
      assert.include(text, "event: RunCompleted")
      assert.isUndefined(yield* service.summaryOf("s"))
    }))

  it.live("a run that ends inline after the memory of its user was deleted stores no summary", () =>
    Effect.gen(function*() {
      const { asked, release, wait } = yield* held
      const service = yield* summarizing([answer], [[wait, ...summary("Too late.")]], { inline: true })
      const running = yield* Effect.forkChild(runWhole(service.server, "agent", fields))
      yield* asked
      yield* send(service.server, "DELETE", "/users/ann/memory", {})
      yield* release
      yield* Fiber.join(running)
      assert.isUndefined(yield* service.summaryOf("s"))
    }))

  it.live("a team summarizes its sessions, and its members do not", () =>
    Effect.gen(function*() {
      const [talking, writing] = [
        yield* Script.make([[Script.toolCall("delegate_task_to_member", { member_id: "member", task: "Go" })], answer]),
        yield* Script.make([summary("Of the team.")])
      ]
      const helping = yield* Script.make([answer])
      const member = Agent.make({ id: "member", model: helping.model, sessionSummaries: { afterRuns: 1 } })
      const team = Team.make({
        id: "team",
        model: talking.model,
        members: [member],
        sessionSummaries: { model: writing.model, afterRuns: 1 }
      })
      const service = yield* open({ teams: [team] })
      const body = new URLSearchParams({ ...fields, stream: "false" })
      const response = yield* service.server.fetch("/teams/team/runs", { method: "POST", body })
      assert.strictEqual(response.status, 200)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual((yield* helping.calls).length, 1)
      assert.strictEqual((yield* service.jobs).total, 1)
      const { json } = yield* get(service.server, "/sessions/s?type=team")
      assert.strictEqual(at(json, "session_summary", "summary"), "Of the team.")
    }))

  it.live("the tool search_past_sessions finds sessions of the caller with this agent, without the current one", () =>
    Effect.gen(function*() {
      const talking = yield* Script.make([
        answer,
        answer,
        answer,
        [Script.toolCall("search_past_sessions", { query: "tea" }, "1")],
        answer
      ])
      const agent = Agent.make({ id: "agent", model: talking.model, searchPastSessions: true })
      const { server } = yield* open({ agents: [agent] })
      yield* runWhole(server, "agent", { ...fields, session_id: "past" })
      yield* runWhole(server, "agent", { ...fields, message: "Bob likes tea", session_id: "bob", user_id: "bob" })
      yield* runWhole(server, "agent", { ...fields, message: "Tea here" })
      const { json } = yield* runWhole(server, "agent", { ...fields, message: "What do I like?" })
      const { result } = (at(json, "tools") as ReadonlyArray<{ readonly result: string }>)[0]!
      const found = JSON.parse(result) as ReadonlyArray<object>
      assert.strictEqual(found.length, 1)
      assert.deepInclude(found[0]!, { name: "I like tea.", runs: ["user: I like tea.\nassistant: Noted."] })
    }))

  it.live("a run with memory=false is neither summarized after a later run, nor found", () =>
    Effect.gen(function*() {
      const call = [Script.toolCall("search_past_sessions", { query: "" }, "1")]
      const service = yield* summarizing([answer, answer, call, answer], [summary("Tea.")], {}, {
        searchPastSessions: true
      })
      yield* runWhole(service.server, "agent", { ...fields, message: "A secret", memory: "false" })
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const [asked] = yield* service.writing.calls
      assert.include(textOf(asked!, "user"), "I like tea.")
      assert.notInclude(textOf(asked!, "user"), "A secret")
      const { json } = yield* runWhole(service.server, "agent", { ...fields, session_id: "later" })
      const { result } = (at(json, "tools") as ReadonlyArray<{ readonly result: string }>)[0]!
      assert.include(result, "user: I like tea.")
      assert.notInclude(result, "A secret")
    }))

  it.live("a run that regenerates one from before an erasure is not summarized", () =>
    Effect.gen(function*() {
      const service = yield* summarizing([answer, answer, answer], [summary("Later.")], { afterRuns: 2 })
      const { json } = yield* runWhole(service.server, "agent", { ...fields, message: "Old" })
      yield* send(service.server, "DELETE", "/users/ann/memory", {})
      const again = new URLSearchParams({ session_id: "s", regenerate: "true", stream: "false" })
      const path = `/agents/agent/runs/${String(at(json, "run_id"))}/continue`
      const { status } = yield* service.server.fetch(path, { method: "POST", body: again })
      assert.strictEqual(status, 200)
      yield* runWhole(service.server, "agent", fields)
      const threshold = { runs: 1, bytes: 1 }
      const found = yield* service.stores().sessions.unsummarized(Session.Id.make("s"), threshold)
      const { messages } = yield* Effect.fromOption(found)
      assert.deepStrictEqual(messages.map(({ content }) => content), ["I like tea.", "Noted."])
    }))

  it.live("the tool search_past_sessions finds nothing without a user, with memory=false, and for users without memory", () =>
    Effect.gen(function*() {
      const call = [Script.toolCall("search_past_sessions", { query: "" })]
      const talking = yield* Script.make([answer, call, answer, call, answer, call, answer])
      const agent = Agent.make({ id: "agent", model: talking.model, searchPastSessions: true })
      const { server } = yield* open({ agents: [agent] })
      yield* runWhole(server, "agent", { ...fields, session_id: "past" })
      const resultOf = ({ json }: { readonly json: unknown }) =>
        (at(json, "tools") as ReadonlyArray<{ readonly result: string }>)[0]!.result
      assert.include(resultOf(yield* runWhole(server, "agent", { message: "Hi" })), "no past sessions")
      assert.include(resultOf(yield* runWhole(server, "agent", { ...fields, memory: "false" })), "no past sessions")
      yield* send(server, "PUT", "/users/ann/memory-settings", { enabled: false })
      assert.include(resultOf(yield* runWhole(server, "agent", fields)), "switched memory off")
    }))

  it.live("discovery shows the settings, and options outside of their limits are refused", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({
        agents: [
          Agent.make({ id: "agent", sessionSummaries: true, searchPastSessions: { sessions: 4 } }),
          Agent.make({ id: "other" })
        ]
      })
      const { json } = yield* get(server, "/agents/agent")
      assert.deepInclude(at(json, "sessions") as object, {
        enable_session_summaries: true,
        search_past_sessions: true,
        num_past_sessions_to_search: 4,
        num_past_session_runs_in_search: 3
      })
      const other = at((yield* get(server, "/agents/other")).json, "sessions") as object
      assert.notProperty(other, "enable_session_summaries")
      assert.notProperty(other, "num_past_sessions_to_search")
      for (
        const [options, message] of [
          [{ sessionSummaries: { afterRuns: 101 } }, "sessionSummaries.afterRuns is 101, and the maximum is 100"],
          [{ sessionSummaries: { afterTokens: 0 } }, "sessionSummaries.afterTokens"],
          [{ sessionSummaries: { instructions: "x".repeat(10_001) } }, "10000 characters"],
          [{ searchPastSessions: { runs: 11 } }, "searchPastSessions.runs is 11, and the maximum is 10"]
        ] as const
      ) {
        assert.throws(() => Agent.make({ id: "agent", ...options }), message)
      }
    }))

  it.live("a session that was not summarized for long is summarized in pieces by one job", () =>
    Effect.gen(function*() {
      const { asked, release, wait } = yield* held
      const long = [Script.text("x".repeat(20_000))]
      const service = yield* summarizing([long, long, long], [
        [wait, ...summary("one")],
        summary("two"),
        summary("three")
      ])
      yield* runWhole(service.server, "agent", fields)
      yield* asked
      for (const message of ["second", "third"]) yield* runWhole(service.server, "agent", { ...fields, message })
      assert.strictEqual((yield* service.jobs).total, 2)
      yield* release
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const requests = (yield* service.writing.calls).map((call) => textOf(call, "user"))
      const [first, second, third] = requests
      assert.strictEqual(requests.length, 3)
      assert.include(first, "I like tea.")
      assert.include(second, `{"user":"second"}`)
      assert.include(third, `{"user":"third"}`)
      assert.strictEqual(yield* service.summaryOf("s"), "three")
    }))
})
