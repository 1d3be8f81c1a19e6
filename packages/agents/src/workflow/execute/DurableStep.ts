// The durable calls of the function of a step: their journal is the one of the workflow, what they run is executed like
// the executor of a step, and what they wait for is a requirement of the step.
import * as Json from "@svc-runtime/domain/Json"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import type { CallFailed, RunAnswer } from "@svc-runtime/engine/durable/Durable"
import {
  type Awaited,
  declined,
  failed,
  type Host,
  notRunnable,
  type PersonQuestion,
  remaining,
  Waits
} from "@svc-runtime/engine/durable/DurableHost"
import { NewId } from "@svc-runtime/engine/NewId"
import * as Cancellation from "@svc-runtime/engine/run/engine/Cancellation"
import * as StateChange from "@svc-runtime/engine/session/StateChange"
import * as Form from "@svc-runtime/engine/tool/Form"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Clock, DateTime, Duration, Effect, Option, Predicate, Schema } from "effect"
import { SentRequirement, sentTool } from "../../agent/continue/SentRequirement.ts"
import * as SentValue from "../../agent/execute/calls/SentValue.ts"
import * as Generated from "../../nested/Generated.ts"
import { type InnerComponent, isComponent, notInput } from "../../nested/InnerCommand.ts"
import * as ExecutorApprovals from "../pause/ExecutorApprovals.ts"
import * as HumanReview from "../pause/HumanReview.ts"
import { type Interruption, Paused } from "../pause/Interruption.ts"
import * as WakeTime from "../pause/WakeTime.ts"
import * as Workflow from "../Workflow.ts"
import * as ExecutorStep from "./ExecutorStep.ts"
import * as FinishedStep from "./FinishedStep.ts"
import * as Given from "./Given.ts"
import * as NestedStep from "./NestedStep.ts"
import type { StepFailure } from "./StepFailure.ts"
import * as StepKey from "./StepKey.ts"
import type { StepPath } from "./StepPath.ts"
import * as TimeLimit from "./TimeLimit.ts"
import {
  about,
  emitWorkflowEvent,
  type FunctionState,
  type StepCall,
  type StepCompletion,
  type StepContext,
  type WorkflowExecution
} from "./WorkflowExecution.ts"
import * as WorkflowJournal from "./WorkflowJournal.ts"

type Failure = CallFailed | Waits<Interruption>

/** A decision that ends a nested workflow ends the call only. */
const ofInterruption = (interruption: Interruption): Failure => {
  switch (interruption._tag) {
    case "Paused":
      return new Waits({ wait: interruption })
    case "Rejected":
      return failed("RunFailed", interruption.reason)
    case "Broken":
      return failed("RunFailed", interruption.message)
  }
}

const waiting = <A>(review: Effect.Effect<A, Interruption>): Effect.Effect<A, Failure> =>
  Effect.mapError(review, ofInterruption)

/** The decision is not about the step: its function gets what is decided. */
const pause = {
  message: undefined,
  onReject: "cancel",
  maxRetries: 0,
  timeout: undefined,
  onTimeout: "cancel"
} as const

const decodeSent = Schema.decodeUnknownOption(Schema.Array(SentRequirement))

/** The decision on the call, which is also that on its step. Undefined: there is none. */
const sentIn = ({ confirmed, executor_requirements, rejection_feedback }: WorkflowJournal.Decision) => {
  if (confirmed === false) return { confirmed, confirmation_note: rejection_feedback, result: null }
  const [sent] = Option.getOrElse(decodeSent(executor_requirements ?? []), () => [])
  return sent === undefined ? undefined : sentTool("", sent)
}

/** A call that a client answers, or a time. */
const awaitedCall = Effect.fnUntraced(function*(key: string, { event, message, schema, until }: Awaited) {
  const now = yield* Clock.currentTimeMillis
  const requested = ToolExecution.requested({
    tool_call_id: key,
    tool_name: event ?? "sleep",
    tool_args: null,
    created_at: Math.floor(now / 1000)
  })
  const requirement: Requirement.Requirement = {
    id: (yield* NewId)(),
    created_at: DateTime.formatIso(DateTime.makeUnsafe(now)),
    tool_execution: {
      ...requested,
      external_execution_required: true,
      ...(until === undefined ? {} : { wake_at: Math.ceil(until / 1000) }),
      asked: {
        message,
        state: null,
        ...(event === undefined ? {} : { event }),
        ...(schema === undefined ? {} : { schema })
      }
    }
  }
  return requirement
})

export const of = (call: StepCall, state: FunctionState): Host<Interruption> => {
  const { before, execution, node, place } = call
  const { journal, request } = execution
  const owner = `Step '${node.name}'`
  const at = { execution, node, place }
  const step_id = execution.idOf(place.path)
  const cancellations = new Map<string, Cancellation.Cancellation>()
  let cancellation = Cancellation.inside(execution.cancellation)
  /** With a cancellation of its own. */
  const inside = (key: string): WorkflowExecution => {
    const own = Cancellation.inside(cancellation)
    cancellations.set(key, own)
    return { ...execution, cancellation: own }
  }
  const pathOf = (key: string): StepPath => ({ ...place, key: StepKey.durableCall(place.key, key) })

  /** Whether the run of a call has paused: it gets no decision any more. */
  const endedPause = Effect.fnUntraced(function*(key: string) {
    const requirements = journal.asked().filter(([each]) =>
      each.startsWith(key) && /^[^\d.]/.test(each.slice(key.length))
    )
    for (const [each, requirement] of requirements) {
      if (journal.decisionOf(each) !== undefined) continue
      yield* journal.append({ kind: "decided", step_id: requirement.step_id, key: each, decision: {} })
      if (!("executor_requirements" in requirement)) continue
      yield* Effect.forEach(ExecutorApprovals.runsOf(requirement), execution.endApprovals, { discard: true })
    }
    return requirements.length > 0
  })

  /** The run of a component, as a step of its own. */
  const run = Effect.fnUntraced(function*(
    key: string,
    inside: WorkflowExecution,
    execute: (
      place: StepPath,
      execution: WorkflowExecution
    ) => Effect.Effect<StepCompletion, StepFailure | Interruption>,
    limit: Duration.Duration | undefined
  ): Effect.fn.Return<StepOutput.StepOutput, Failure> {
    const path = pathOf(key)
    const known = journal.finished(path.key)?.output
    if (known !== undefined && known !== null) return known
    const late = `${owner}: a run did not finish in time`
    if (limit !== undefined && Duration.isZero(limit) && (yield* endedPause(path.key))) {
      return yield* failed("RunFailed", late)
    }
    const now = yield* Clock.currentTimeMillis
    const executing = limit === undefined
      ? execute(path, inside)
      : TimeLimit.within(inside, limit, late, (limited) => execute(path, limited)).pipe(
        Effect.catchTag(
          "Paused",
          (paused) => Effect.fail(WakeTime.earliest(paused, [], Math.ceil((now + Duration.toMillis(limit)) / 1000)))
        )
      )
    const completion = yield* Effect.mapError(
      executing,
      (problem) => problem._tag === "StepFailure" ? failed("RunFailed", problem.message) : ofInterruption(problem)
    )
    yield* FinishedStep.write(execution, FinishedStep.entryOf(path.key, completion))
    // what the steps of a workflow have changed is in the shared state only
    const { current } = execution.state
    StateChange.applyTo(state.draft, StateChange.between(state.base, current))
    state.base = current
    return completion.output
  })

  const answerOf = ({ content, step_run_id }: StepOutput.StepOutput) => ({ runId: step_run_id ?? "", content })

  const shownIf = (streamExecutorEvents: boolean, key: string): WorkflowExecution => ({
    ...inside(key),
    workflow: { ...execution.workflow, streamExecutorEvents }
  })

  return {
    owner,
    effectId: `${request.run_id}/${place.key}`,
    underLease: execution.underLease,
    journal: WorkflowJournal.durableCalls(journal, place.key),
    begin: () => {
      cancellation = Cancellation.inside(execution.cancellation)
    },
    cancel: (reason, key) => {
      const cancelled = key === undefined ? cancellation : cancellations.get(key)
      if (cancelled !== undefined) cancelled.reason = reason
    },
    run: (key, component, input, { streamEvents = execution.workflow.streamExecutorEvents, timeout: given }, since) =>
      Effect.gen(function*(): Effect.fn.Return<RunAnswer, Failure> {
        if (!isComponent(component)) return yield* notRunnable(owner, component)
        const odd = notInput(owner, component, input)
        if (odd !== undefined) return yield* odd
        const timeout = given === undefined ? undefined : Validate.duration(owner, "timeout of run()", given)
        const context: StepContext = { ...before, previous: Given.itself(input, "run()"), additional: {} }
        const execute = (executor: InnerComponent) => (at: StepPath, execution: WorkflowExecution) => {
          const inner = { before: context, execution, node, place: at }
          return Workflow.isWorkflow(executor)
            ? NestedStep.perform(inner, executor)
            : ExecutorStep.perform(inner, executor)
        }
        const limit = timeout === undefined ? undefined : yield* remaining(timeout, since)
        return answerOf(yield* run(key, shownIf(streamEvents, key), execute(component), limit))
      }),
    generate: (key, question) =>
      Effect.gen(function*() {
        const { agent, earlier_messages, input } = yield* Generated.of(question, undefined)
        const given = { earlier_messages, input: { input_content: input } }
        const execute = (at: StepPath, execution: WorkflowExecution) =>
          ExecutorStep.perform({ before, execution, node, place: at }, agent, given)
        return (yield* run(key, shownIf(false, key), execute, undefined)).content
      }),
    ask: Effect.fnUntraced(function*(key: string, round: number, { message, schema }: PersonQuestion) {
      const requirement: StepRequirement.StepRequirement = {
        ...yield* HumanReview.requirementOf(at, pause),
        requires_user_input: true,
        user_input_message: message,
        user_input_schema: Form.fieldsOf(schema),
        user_input_json_schema: schema,
        retry_count: round
      }
      const announce = () => emitWorkflowEvent(execution, { ...about(at), ...HumanReview.pausedStep(requirement) })
      const asking = { key: StepKey.request(pathOf(key).key, round), requirement, kind: "step" as const, announce }
      if (journal.requirementOf(asking.key) === undefined) {
        const { step_index, step_name } = requirement
        const ask = Effect.andThen(
          HumanReview.requestReview(execution, asking),
          Effect.die(new Error("It has no answer"))
        )
        const named = { ...requirement, id: asking.key }
        return yield* ofInterruption(new Paused({ requirement: named, kind: "step", step_name, step_index, ask }))
      }
      const { decision } = yield* waiting(HumanReview.requestReview(execution, asking))
      if (decision.confirmed === false) return yield* declined(decision.rejection_feedback)
      return Form.valuesOf(schema, decision.user_input ?? {})
    }),
    wait: Effect.fnUntraced(function*(key: string, round: number, awaited: Awaited) {
      const { schema, until } = awaited
      const requestKey = StepKey.request(pathOf(key).key, round)
      const decision = journal.decisionOf(requestKey)
      const sent = decision === undefined ? undefined : sentIn(decision)
      if (sent?.confirmed === false) return yield* declined(sent.confirmation_note)
      if (!Predicate.isNullish(sent?.result)) return Option.some(SentValue.of(schema, sent.result))
      if (decision !== undefined) return Option.none()
      if (until !== undefined && until <= (yield* Clock.currentTimeMillis)) {
        const isAsked = journal.requirementOf(requestKey) !== undefined
        if (isAsked) yield* journal.append({ kind: "decided", step_id, key: requestKey, decision: {} })
        return Option.none()
      }
      const executor = {
        executor_id: node.name,
        executor_name: node.name,
        executor_run_id: request.run_id,
        executor_type: "agent"
      } as const
      const requirements = [Json.of(yield* awaitedCall(requestKey, awaited))]
      const requirement: StepRequirement.StepRequirement = {
        ...yield* HumanReview.requirementOf(at, pause),
        requires_executor_input: true,
        executor_requirements: requirements,
        ...executor,
        executor_session_id: request.session_id,
        retry_count: round
      }
      const announce = () =>
        emitWorkflowEvent(execution, {
          event: "StepExecutorPaused",
          ...about(at),
          ...executor,
          executor_requirements: requirements
        })
      const asking = { key: requestKey, requirement, kind: "executor" as const, announce }
      yield* waiting(HumanReview.requestReview(execution, asking))
      return Option.none()
    })
  }
}
