import { assert, describe, it } from "@effect/vitest"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Option } from "effect"
import { open, type Options } from "../../../engine/test/run/Engine.ts"
import * as FactoryInput from "../../src/factory/FactoryInput.ts"
import * as Caller from "../../src/runService/Caller.ts"
import type { ComponentRef } from "../../src/runService/Components.ts"
import type { ContinueRequest, ForkOptions } from "../../src/runService/ContinueRequest.ts"
import * as RunOptions from "../../src/runService/RunOptions.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as WorkflowFactory from "../../src/workflow/WorkflowFactory.ts"

const run_id = Run.Id.make("run")
const session_id = Session.Id.make("session")
const caller = Caller.internal()

const forking: ForkOptions = {
  from: "end",
  fork: true,
  regenerate: false,
  replaceOriginal: true,
  memory: undefined,
  knowledge_filters: undefined,
  dependencies: {},
  metadata: undefined
}

const continuing = (component: ComponentRef, more: Partial<ContinueRequest> = {}): ContinueRequest => ({
  component,
  caller,
  run_id,
  session_id,
  user_id: undefined,
  factoryInput: FactoryInput.none,
  decisions: {},
  input: undefined,
  fork: undefined,
  stream: false,
  background: false,
  ...more
})

const starting = {
  caller,
  message: "Hi",
  run_id,
  session_id,
  factoryInput: FactoryInput.none,
  options: RunOptions.defaults
}

const approving = { decisions: { tools: [{ tool_call_id: "call", confirmed: true }] } }

/** Components of each kind whose runs pause before a call or a step. */
const paused = Effect.fnUntraced(function*(kind: ComponentRef["kind"], around?: Options["around"]) {
  const sent: Array<unknown> = []
  const tool = Tool.make({ name: "send", requiresConfirmation: true, execute: () => (sent.push("sent"), "sent") })
  const { model } = yield* Script.make([[toolCall("send", {}, "call")], [text("Done.")], [text("Again.")]])
  const { engine, service } = yield* open({
    ...(around === undefined ? {} : { around }),
    agents: [Agent.make({ id: "agent", model, tools: [tool] })],
    teams: [Team.make({ id: "team", model, tools: [tool], members: [Agent.make({ id: "member", model })] })],
    workflows: [Workflow.make({
      id: "workflow",
      steps: [Step.make({ name: "send", confirmation: true, run: () => (sent.push("sent"), "Done.") })]
    })]
  })
  const component: ComponentRef = { kind, id: kind }
  const handle = yield* service.start({ ...starting, component })
  const output = yield* handle.output
  assert.strictEqual(output.status, "PAUSED")
  return { component, engine, output, sent, service }
})

describe("RunService.continue", () => {
  it.effect("a paused run of an agent is resumed with a decision on its call, without an HTTP request", () =>
    Effect.gen(function*() {
      const { component, sent, service } = yield* paused("agent")
      const run = yield* service.continue(continuing(component, approving))
      assert.deepStrictEqual(run.run, { kind: "agent", run_id, session_id })
      if (run._tag !== "Started") return assert.fail("the run was not resumed")
      assert.deepInclude(yield* run.output, { status: "COMPLETED", content: "Done." })
      assert.deepStrictEqual(sent, ["sent"])
    }))

  for (const kind of ["agent", "team"] as const) {
    it.effect(`a paused run of kind ${kind} is resumed with a decision on its requirement`, () =>
      Effect.gen(function*() {
        const { component, output, sent, service } = yield* paused(kind)
        const [requirement] = "requirements" in output ? output.requirements ?? [] : []
        const decisions = { requirements: [{ id: requirement?.id, confirmation: true }] }
        const run = yield* service.continue(continuing(component, { decisions }))
        if (run._tag !== "Started") return assert.fail("the run was not resumed")
        assert.deepInclude(yield* run.output, { status: "COMPLETED" })
        assert.deepStrictEqual(sent, ["sent"])
      }))
  }

  it.effect("a paused run of a workflow is resumed with a decision on its step", () =>
    Effect.gen(function*() {
      const { component, output, sent, service } = yield* paused("workflow")
      const [requirement] = "step_requirements" in output ? output.step_requirements ?? [] : []
      const decisions = { step_requirements: [{ step_id: requirement?.step_id, confirmed: true }] }
      const run = yield* service.continue(continuing(component, { decisions }))
      if (run._tag !== "Started") return assert.fail("the run was not resumed")
      assert.deepInclude(yield* run.output, { status: "COMPLETED", content: "Done." })
      assert.deepStrictEqual(sent, ["sent"])
    }))

  it.effect("a decision is refused while the workflow has other steps, and counts when it has the former ones again", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      let name = "refund"
      const factory = WorkflowFactory.make({
        id: "desk",
        build: ({ id }) =>
          Workflow.make({
            id,
            steps: [Step.make({ name, confirmation: true, run: ({ stepName }) => done.push(stepName) })]
          })
      })
      const { service } = yield* open({ workflows: [factory] })
      const component: ComponentRef = { kind: "workflow", id: "desk" }
      const started = yield* service.start({ ...starting, component })
      const output = yield* started.output
      const [requirement] = "step_requirements" in output ? output.step_requirements ?? [] : []
      const decisions = { step_requirements: [{ step_id: requirement?.step_id, confirmed: true }] }
      name = "remove"
      const refused = yield* Effect.flip(service.continue(continuing(component, { decisions })))
      assert.deepInclude(refused, { _tag: "ContinueRejected", reason: "conflict" })
      assert.include(
        refused.message,
        "Step 1 of workflow 'desk' was 'refund' when this run began it, and is 'remove' now"
      )
      name = "refund"
      const run = yield* service.continue(continuing(component, { decisions }))
      if (run._tag !== "Started") return assert.fail("the run was not resumed")
      assert.deepInclude(yield* run.output, { status: "COMPLETED" })
      assert.deepStrictEqual(done, ["refund"])
    }))

  it.effect("a run that has ended is forked if the request says how, and is shown otherwise", () =>
    Effect.gen(function*() {
      const { component, service } = yield* paused("agent")
      const first = yield* service.continue(continuing(component, approving))
      if (first._tag !== "Started") return assert.fail("the run was not resumed")
      yield* first.output
      const shown = yield* service.continue(continuing(component))
      assert.strictEqual(shown._tag, "Repeated")
      assert.strictEqual(shown.run.run_id, run_id)
      const forked = yield* service.continue(continuing(component, { fork: forking, input: "More" }))
      assert.notStrictEqual(forked.run.run_id, run_id)
      if (forked._tag !== "Started") return assert.fail("no run was started")
      assert.deepInclude(yield* forked.output, { content: "Again.", forked_from_run_id: run_id })
    }))

  it.effect("a repeated request with the same key gets the run that the first one resumed", () =>
    Effect.gen(function*() {
      const { component, sent, service } = yield* paused("agent")
      const request = continuing(component, { ...approving, key: { key: "k", fingerprint: "f" } })
      const first = yield* service.continue(request)
      if (first._tag !== "Started") return assert.fail("the run was not resumed")
      yield* first.output
      assert.strictEqual((yield* service.continue(request))._tag, "Repeated")
      assert.deepStrictEqual(sent, ["sent"])
    }))

  it.effect("a request without a session, for an unknown run or with a late decision is refused", () =>
    Effect.gen(function*() {
      const { component, service } = yield* paused("agent")
      const refused = (more: Partial<ContinueRequest>) => Effect.flip(service.continue(continuing(component, more)))
      assert.strictEqual((yield* refused({ session_id: undefined }))._tag, "SessionIdRequired")
      assert.strictEqual((yield* refused({ run_id: Run.Id.make("other") }))._tag, "RunNotFound")
      const stranger = Caller.make({ ...Principal.open, credential: "jwt", isIsolated: true })
      assert.strictEqual((yield* refused({ caller: stranger, ...approving }))._tag, "RunNotFound")
      assert.deepInclude(yield* refused({ decisions: { tools: "yes" } }), { reason: "malformed", field: "tools" })
      yield* service.cancel({ caller, component, run_id, session_id })
      assert.deepInclude(yield* refused(approving), { reason: "notPaused", status: "CANCELLED" })
    }))
})

describe("a run of which something is missing", () => {
  it.effect.each(["agent", "team", "workflow"] as const)(
    "a damaged run of an %s is not resumed, and the error says what is missing",
    (kind) =>
      Effect.gen(function*() {
        const damage = "entries of its journal are missing"
        const { component, sent, service } = yield* paused(kind, (store) => ({
          ...store,
          snapshot: (...args) => Effect.map(store.snapshot(...args), Option.map((found) => ({ ...found, damage })))
        }))
        const decided = kind === "workflow"
          ? { decisions: { step_requirements: [{ step_id: "send", confirmed: true }] } }
          : approving
        const error = yield* Effect.flip(service.continue(continuing(component, decided)))
        assert.deepInclude(error, {
          _tag: "ContinueRejected",
          reason: "conflict",
          message: `Run with id 'run' cannot be continued: ${damage}`
        })
        assert.deepStrictEqual(sent, [])
      })
  )
})
