// Runs of a token that is limited to a session: what features add to agents shows them nothing of other sessions of
// their user, and stores nothing there, however deep the agent is in the run, and who continues it.
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Job from "@svc-runtime/engine/jobs/Job"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { parts } from "@svc-runtime/features/agentParts"
import * as Team from "@svc-runtime/features/Team"
import * as Workspace from "@svc-runtime/features/workspace/Workspace"
import { ComponentTool, Step } from "@svc-runtime/server"
import { json } from "@svc-runtime/test-support/endpoints/Checked"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { always, at } from "../Wire.ts"
import { call, claims, everything, serveClosed, theIssuer, token } from "./Closed.ts"

/** In all that is known about Ann from other sessions. */
const marker = "wombat"

interface Probe {
  readonly options: (reading: Script.ScriptedModel["model"]) => Partial<Agent.Options>
  /** Calls of all tools that show or change what is known about the user. */
  readonly calls: ReadonlyArray<Script.Step>
}

/** By the name of the part. Undefined: what it shows and changes belongs to no session. */
const probes: Readonly<Record<string, Probe | undefined>> = {
  memory: {
    options: (model) => ({ memory: { update: "inline", model } }),
    calls: [
      Script.toolCall("recall", { query: "tea" }),
      Script.toolCall("remember", { memory: "Likes coffee" }),
      Script.toolCall("update_memory", { memory_id: "ann-memory", memory: "Likes milk" }),
      Script.toolCall("forget", { memory_id: "ann-memory" })
    ]
  },
  summaries: {
    options: () => ({ searchPastSessions: true }),
    calls: [Script.toolCall("search_past_sessions", { query: "" })]
  },
  learning: {
    options: (model) => ({ learning: { mode: ["agentic", "always"], model } }),
    calls: [
      Script.toolCall("search_learnings", { query: "Ann" }),
      Script.toolCall("save_profile", { name: "Eve" })
    ]
  },
  knowledge: undefined,
  skills: undefined,
  prompts: undefined,
  // its tools show the tasks of the session of the run
  backgroundTasks: undefined,
  workspace: {
    options: () => ({ workspace: Workspace.make({ sandbox: "none" }) }),
    calls: [
      Script.toolCall("list_files"),
      Script.toolCall("read_file", { path: "note.txt" }),
      Script.toolCall("write_file", { path: "note.txt", content: "x" })
    ]
  }
}

const known = Object.values(probes).flatMap((probe) => probe === undefined ? [] : [probe])

const done = [Script.text("Done.")]

const calledIn = ({ prompt }: Script.Call) =>
  prompt.content.flatMap((message) =>
    message.role === "assistant" ? message.content.flatMap((part) => part.type === "tool-call" ? [part.name] : []) : []
  )

/** Calls all of the tools once, if the message says so, and before that the one that waits. */
const turn: Script.Turn = (request) => {
  const [called, text] = [calledIn(request), JSON.stringify(request.prompt)]
  if (!text.includes("probe")) return done
  if (text.includes("wait first") && !called.includes("pay")) return [Script.toolCall("pay")]
  return called.includes("recall") ? done : known.flatMap(({ calls }) => calls)
}

const served = Effect.gen(function*() {
  const asking = yield* Script.make(Array.from({ length: 30 }, () => turn))
  const reading = yield* always(Script.text("{\"changes\":[]}"))
  const options: Partial<Agent.Options> = Object.assign({}, ...known.map(({ options }) => options(reading.model)))
  const prober = Agent.make({ id: "prober", model: asking.model, ...options })
  const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
  const waiter = Agent.make({ id: "waiter", model: asking.model, tools: [pay], ...options })
  const [flow, waiting] = [
    Workflow.make({ id: "flow", steps: [Step.make({ name: "ask", agent: prober })] }),
    Workflow.make({ id: "waiting", steps: [Step.make({ name: "ask", agent: waiter })] })
  ]
  const nested = Workflow.make({ id: "nested", steps: [flow] })
  const caller = Effect.fnUntraced(function*(name: string, input: object) {
    const { model } = yield* Script.make([[Script.toolCall(name, input)], done])
    return model
  })
  const hosts = [
    Agent.make({
      id: "host",
      model: yield* caller("prober", { task: "probe" }),
      tools: [ComponentTool.make({ component: prober })]
    }),
    Agent.make({
      id: "flowhost",
      model: yield* caller("flow", { task: "probe" }),
      tools: [ComponentTool.make({ component: flow })]
    })
  ]
  const team = Team.make({
    id: "desk",
    model: yield* caller("delegate_task_to_member", { member_id: "prober", task: "probe" }),
    members: [prober]
  })
  let database: Database | undefined
  const server = yield* serveClosed({
    agents: [prober, waiter, ...hosts],
    teams: [team],
    workflows: [flow, nested, waiting],
    database: (given) => (database = given)
  })
  const [ann, admin] = [yield* token("ann", ...everything), yield* token("root", "platform:admin")]
  const limited = yield* Effect.flatMap(
    theIssuer,
    (issuer) => issuer.sign({ ...claims("ann", everything), session_id: "claimed" })
  )
  const post = (path: string, fields: Readonly<Record<string, string>>, bearer: string) => {
    const body = new URLSearchParams({ stream: "false", ...fields })
    return Effect.tap(
      call(server, { path, init: { method: "POST", body } }, bearer),
      ({ status, text }) => Effect.sync(() => assert.strictEqual(status, 200, text))
    )
  }
  for (const id of ["prober", "waiter"]) {
    yield* post(`/agents/${id}/runs`, { session_id: `past-${id}`, message: `My PIN is ${marker}` }, ann)
  }
  const note = { path: "/sessions/past-prober/workspace/note.txt", init: json("PUT", { content: marker }) }
  assert.strictEqual((yield* call(server, note, ann)).status, 200)
  const memory = { memory: `The ${marker} likes tea`, user_id: "ann" }
  const profile = { learning_type: "user_profile", user_id: "ann", content: { name: `Ann ${marker}` } }
  yield* call(server, { path: "/memories/ann-memory", init: json("PATCH", memory) }, admin)
  yield* call(server, { path: "/learnings", init: json("POST", profile) }, admin)
  const stored = Effect.gen(function*() {
    const texts = yield* Effect.forEach(["/memories", "/learnings"], (path) => call(server, { path }, admin))
    for (const { text } of texts) assert.include(text, marker)
    const jobs = (database as Database).jobs.list({ owner: Owner.anyone }, { page: 1, limit: 100 })
    const readersOf = Effect.map(jobs, ({ jobs }) => jobs.filter(({ kind }) => /memory|learning/.test(kind)))
    // their requests are counted: none is made later. Repeating jobs have no user, and no end
    const readers = yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), readersOf), {
      until: (all) => all.every(({ status, user_id }) => user_id === null || Job.isEnded(status)),
      times: 100
    })
    return [...texts.map(({ text }) => text), readers.length, (yield* reading.calls).length]
  })
  const before = yield* stored
  let begun = (yield* asking.prompts).length
  return {
    limited,
    ann,
    post,
    /** What was asked before is no longer looked at. */
    lookFromHere: Effect.map(asking.prompts, ({ length }) => void (begun = length)),
    /** What the model was asked since. */
    seen: Effect.gen(function*() {
      const prompts = JSON.stringify((yield* asking.prompts).slice(begun))
      assert.include(prompts, "recall")
      return prompts
    }),
    changed: Effect.map(
      Effect.catchDefect(stored, () => Effect.succeed(["gone"])),
      (after) => JSON.stringify(after) !== JSON.stringify(before)
    )
  }
})

/** Where the agent is that has all parts. */
const places = {
  "an agent": "/agents/prober/runs",
  "a member of a team": "/teams/desk/runs",
  "an agent that is a tool": "/agents/host/runs",
  "a step of a workflow": "/workflows/flow/runs",
  "a step of a workflow in a workflow": "/workflows/nested/runs",
  "a step of a workflow that is a tool": "/agents/flowhost/runs"
}

it("each part of agents has a probe here", () => {
  assert.deepStrictEqual(Object.keys(probes).toSorted(), parts.map(({ name }) => name).toSorted())
})

describe.each(Object.entries(places))("%s", (_, path) => {
  it.effect("a run of a token for one session neither shows nor changes what is known from other sessions", () =>
    Effect.gen(function*() {
      const { changed, limited, post, seen } = yield* served
      const { text } = yield* post(path, { message: "probe" }, limited)
      assert.notInclude(text, marker)
      assert.notInclude(yield* seen, marker)
      assert.isFalse(yield* changed)
    }))

  it.effect("a run of a token for all sessions shows and changes what is known", () =>
    Effect.gen(function*() {
      const { ann, changed, post, seen } = yield* served
      yield* post(path, { session_id: "other", message: "probe" }, ann)
      assert.isAtLeast((yield* seen).split(marker).length, 5)
      assert.isTrue(yield* changed)
    }))
})

describe("a run that is continued", () => {
  const confirmed = (tools: unknown) =>
    JSON.stringify((tools as ReadonlyArray<object>).map((tool) => ({ ...tool, confirmed: true })))

  const paused = Effect.fnUntraced(function*(path: string, starter: "ann" | "limited") {
    const service = yield* served
    const message = "wait first, then probe"
    const { json } = yield* service.post(`${path}/runs`, { session_id: "claimed", message }, service[starter])
    assert.strictEqual(at(json, "status"), "PAUSED", JSON.stringify(json))
    const proceed = (bearer: string) => {
      const decisions = path.startsWith("/workflows")
        ? {
          step_requirements: JSON.stringify((at(json, "step_requirements") as ReadonlyArray<object>).map((one) => ({
            ...one,
            executor_requirements: (at(one, "executor_requirements") as ReadonlyArray<object>).map((inner) => ({
              ...inner,
              confirmation: true
            }))
          })))
        }
        : { tools: confirmed(at(json, "tools")) }
      return service.post(`${path}/runs/${String(at(json, "run_id"))}/continue`, {
        session_id: "claimed",
        ...decisions
      }, bearer)
    }
    return { ...service, proceed }
  })

  describe.each(["/agents/waiter", "/workflows/waiting"])("%s", (path) => {
    it.effect("the run stays limited when a caller without the limit continues it", () =>
      Effect.gen(function*() {
        const { ann, changed, proceed, seen } = yield* paused(path, "limited")
        const { json, text } = yield* proceed(ann)
        assert.strictEqual(at(json, "status"), "COMPLETED", text)
        assert.notInclude(yield* seen, marker)
        assert.isFalse(yield* changed)
      }))

    it.effect("the run is limited from there on when a token for one session continues it", () =>
      Effect.gen(function*() {
        const { changed, limited, lookFromHere, proceed, seen } = yield* paused(path, "ann")
        yield* lookFromHere
        const { json, text } = yield* proceed(limited)
        assert.strictEqual(at(json, "status"), "COMPLETED", text)
        assert.notInclude(yield* seen, marker)
        assert.isFalse(yield* changed)
      }))
  })

  it.effect("another answer to a message of a run without the limit is limited as its caller", () =>
    Effect.gen(function*() {
      const { ann, limited, lookFromHere, post, seen } = yield* served
      const { json } = yield* post("/agents/prober/runs", { session_id: "claimed", message: "Hello" }, ann)
      yield* lookFromHere
      const again = { session_id: "claimed", fork: "true", input: "probe" }
      yield* post(`/agents/prober/runs/${String(at(json, "run_id"))}/continue`, again, limited)
      assert.notInclude(yield* seen, marker)
    }))
})
