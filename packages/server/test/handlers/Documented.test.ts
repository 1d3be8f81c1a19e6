// What is served fits what is documented, key for key: handlers that write their responses as text, and the ones that
// do not, are held to the schemas of the API. A key that is not in the schema is a failure.
import { assert, describe, it } from "@effect/vitest"
import * as AgentSchema from "@svc-runtime/domain/Agent"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Node from "@svc-runtime/domain/Node"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Service from "@svc-runtime/domain/Service"
import * as Session from "@svc-runtime/domain/Session"
import * as TeamSchema from "@svc-runtime/domain/Team"
import * as TeamRun from "@svc-runtime/domain/TeamRun"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { approval, filled } from "@svc-runtime/test-support/suites/approvals/Approvals"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { ask, get, post, run, runFrames, runWhole, send, serve } from "../Wire.ts"
import { lookup, used } from "../wire/Fixtures.ts"
import { storeWith } from "../wire/StoredApprovalRows.ts"

Tier.oneIn(2)

const fits = (schema: Schema.ConstraintDecoder<unknown>, json: unknown) => {
  const decoded = Schema.decodeUnknownResult(schema, { onExcessProperty: "error", errors: "all" })(json)
  assert.strictEqual(decoded._tag, "Success", decoded._tag === "Failure" ? String(decoded.failure) : "")
}

const thought = {
  title: "One",
  action: "look",
  result: "found",
  reasoning: "because",
  next_action: "final_answer",
  confidence: 0.5
}

const failing = Tool.make({ name: "failing", execute: () => Effect.fail("no") })

/** One run that shows as much as a run can show. */
const richRun = Script.make([
  [Script.text(JSON.stringify(thought))],
  [Script.reasoning("Hm"), Script.toolCall("lookup", { query: "tea" }), Script.toolCall("failing", {}), used],
  [
    Script.text("Tea", "."),
    Script.part({ type: "file", mediaType: "application/pdf", data: "AAEC" }),
    Script.part({ type: "source", sourceType: "url", id: "1", url: "https://example.com/", title: "E" }),
    Script.part({
      type: "source",
      sourceType: "document",
      id: "2",
      mediaType: "text/plain",
      title: "D",
      fileName: "d.txt"
    }),
    Script.usage({ input: 10, output: 5, cacheRead: 3, cacheWrite: 1, reasoning: 2 })
  ]
])

const rich = Effect.gen(function*() {
  const { model } = yield* richRun
  const agent = Agent.make({
    id: "rich",
    name: "Rich",
    description: "All of it",
    model,
    tools: [lookup, failing],
    reasoning: true,
    instructions: ["a", "b"],
    inputSchema: Schema.Struct({ a: Schema.Int }),
    metadata: { m: 1 },
    preHooks: [{ name: "pre", run: () => undefined }],
    postHooks: [{ name: "post", run: () => undefined }]
  })
  return yield* serve({
    agents: [agent],
    settings: { description: "D", quickPrompts: { rich: ["Hi"] }, availableModels: ["m"] }
  })
})

const fields = {
  message: "{\"a\":1}",
  session_id: "s",
  run_id: "r",
  user_id: "ann",
  session_state: "{\"n\":1}",
  metadata: "{\"m\":2}",
  images: "[{\"url\":\"https://example.com/a.png\"}]"
}

describe("documented responses", () => {
  it.effect("the responses of the service itself match the document", () =>
    Effect.gen(function*() {
      const server = yield* rich
      fits(Service.Root, (yield* get(server, "/")).json)
      fits(Service.Health, (yield* get(server, "/health")).json)
      fits(Service.Info, (yield* get(server, "/info")).json)
      fits(Schema.Array(Node.DatabaseNodes), (yield* get(server, "/nodes")).json)
      fits(Service.Caller, (yield* get(server, "/caller")).json)
      fits(Service.Config, (yield* get(server, "/config")).json)
      fits(Schema.Array(Service.Model), (yield* get(server, "/models")).json)
    }))

  it.effect("the responses about agents match the document", () =>
    Effect.gen(function*() {
      const server = yield* rich
      fits(Schema.Array(AgentSchema.Detail), (yield* get(server, "/agents")).json)
      fits(AgentSchema.Detail, (yield* get(server, "/agents/rich")).json)
    }))

  it.effect("the responses about teams and their runs match the document, event by event", () =>
    Effect.gen(function*() {
      const reader = yield* Script.make([[Script.text("I read it."), used], [Script.text("I read it."), used]])
      const turns = [[Script.toolCall("delegate_task_to_member", { member_id: "reader", task: "read" })], [
        Script.text("Done"),
        used
      ]]
      const leader = yield* Script.make([...turns, ...turns])
      const library = Team.make({
        id: "library",
        model: leader.model,
        reasoning: false,
        instructions: ["Read."],
        members: [Agent.make({ id: "reader", model: reader.model })]
      })
      const desk = Team.make({ id: "desk", model: leader.model, addNameToContext: true, members: [library] })
      const server = yield* serve({ teams: [library, desk] })
      fits(Schema.Array(TeamSchema.Detail), (yield* get(server, "/teams")).json)
      fits(TeamSchema.Detail, (yield* get(server, "/teams/desk")).json)
      fits(Service.Config, (yield* get(server, "/config")).json)
      const body = new URLSearchParams({ message: "go", session_id: "s", run_id: "r" })
      const { text } = yield* ask(server, "/teams/library/runs", { method: "POST", body })
      const frames = text.trim().split("\n\n").map((frame): unknown =>
        JSON.parse(frame.slice(frame.indexOf("data: ") + 6))
      )
      for (const data of frames) fits(RunEvent.RunEvent, data)
      assert.strictEqual(frames.length, 16)
      fits(TeamRun.Output, (yield* get(server, "/teams/library/runs/r?session_id=s")).json)
      fits(Schema.Array(TeamRun.Record), (yield* get(server, "/teams/library/runs?session_id=s")).json)
      fits(Schema.Array(AnyRun.PartialRecord), (yield* get(server, "/sessions/s/runs")).json)
      fits(Session.TeamSession, (yield* get(server, "/sessions/s")).json)
    }))

  const reads = Effect.fnUntraced(function*(server: TestServer.TestServer) {
    fits(Run.Output, (yield* get(server, "/agents/rich/runs/r?session_id=s")).json)
    fits(Schema.Array(Run.Record), (yield* get(server, "/agents/rich/runs?session_id=s")).json)
    fits(Schema.Array(Run.PartialRecord), (yield* get(server, "/sessions/s/runs")).json)
    fits(Run.Record, (yield* get(server, "/sessions/s/runs/r")).json)
    fits(Session.AgentSession, (yield* get(server, "/sessions/s")).json)
    fits(Pagination.page(Session.Item, "Page"), (yield* get(server, "/sessions")).json)
  })

  it.effect("the responses of a whole run match the document, and of reading it", () =>
    Effect.gen(function*() {
      const server = yield* rich
      const { json } = yield* runWhole(server, "rich", fields)
      fits(Run.Output, json)
      assert.strictEqual((json as Run.Output).status, "COMPLETED")
      yield* reads(server)
    }))

  it.effect("the events of a streamed run match the document, and the responses of reading it", () =>
    Effect.gen(function*() {
      const server = yield* rich
      const all = yield* runFrames(server, "rich", fields)
      for (const { data } of all) fits(RunEvent.RunEvent, data)
      assert.strictEqual(all.at(-1)?.kind, "RunCompleted")
      yield* reads(server)
    }))

  it.effect("the responses of a background run match the document", () =>
    Effect.gen(function*() {
      fits(Run.Accepted, (yield* run(yield* rich, "rich", { ...fields, stream: "no", background: "yes" })).json)
    }))

  it.effect("the responses of a failed run match the document", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.fail("down")], [Script.fail("down")]])
      const server = yield* serve({ agents: [Agent.make({ id: "rich", model })] })
      fits(Run.Output, (yield* runWhole(server, "rich", fields)).json)
      for (const { data } of yield* runFrames(server, "rich", { ...fields, run_id: "q" })) fits(RunEvent.RunEvent, data)
      yield* reads(server)
    }))

  const summary = { summary: "S", topics: ["t"], updated_at: "2026-01-01T00:00:00Z" }

  it.effect.each(
    [
      ["agent", Session.AgentSession],
      ["team", Session.TeamSession],
      ["workflow", Session.WorkflowSession]
    ] as const
  )("the answers about sessions of a %s match the document, in every form", ([type, schema]) =>
    Effect.gen(function*() {
      const server = yield* serve()
      const body = { session_id: "s", [`${type}_id`]: "x" }
      fits(schema, (yield* post(server, `/sessions?type=${type}`, body)).json)
      fits(schema, (yield* get(server, "/sessions/s")).json)
      fits(schema, (yield* post(server, "/sessions/s/rename", { session_name: "N" })).json)
      const patch = { summary, session_state: { a: 1 }, metadata: { b: 2 } }
      fits(schema, (yield* send(server, "PATCH", "/sessions/s", patch)).json)
      fits(Session.Detail, (yield* get(server, "/sessions/s")).json)
      fits(Pagination.page(Session.Item, "Page"), (yield* get(server, "/sessions")).json)
    }))

  it.effect("the responses about approvals match the document", () =>
    Effect.gen(function*() {
      const [full, waiting] = [filled(), approval()]
      const server = yield* serve({ approvals: (yield* storeWith(full, waiting)).layer })
      fits(Pagination.page(Approval.Approval, "Page"), (yield* get(server, "/approvals")).json)
      fits(Approval.Count, (yield* get(server, "/approvals/count")).json)
      fits(Approval.Approval, (yield* get(server, `/approvals/${full.id}`)).json)
      fits(Approval.StatusView, (yield* get(server, `/approvals/${full.id}/status`)).json)
      const resolved = yield* post(server, `/approvals/${waiting.id}/resolve`, { status: "approved" })
      fits(Approval.Approval, resolved.json)
    }))
})
