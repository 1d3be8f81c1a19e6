// Executes the tool calls of one model answer concurrently. Every call gets an answer, because providers reject a
// conversation with an open call. A call that needs a decision stays open, and the run pauses.
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as UnfinishedTurn from "@svc-runtime/domain/UnfinishedTurn"
import { Suspension } from "@svc-runtime/engine/durable/DurableHost"
import { ByteLimits, cut, cutFor, type ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import * as GeneratedMedia from "@svc-runtime/engine/media/GeneratedMedia"
import type { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import type { RunJournal } from "@svc-runtime/engine/run/journal/RunJournal"
import { Asking, type Reply } from "@svc-runtime/engine/tool/Asking"
import { ChildRun } from "@svc-runtime/engine/tool/ChildRun"
import * as CustomEvents from "@svc-runtime/engine/tool/CustomEvents"
import { Field } from "@svc-runtime/engine/tool/Form"
import * as HeldCalls from "@svc-runtime/engine/tool/HeldCalls"
import * as MediaResult from "@svc-runtime/engine/tool/MediaResult"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import { Sampling } from "@svc-runtime/engine/tool/Sampling"
import { type Tool, ToolFailed } from "@svc-runtime/engine/tool/Tool"
import * as Wait from "@svc-runtime/engine/tool/Wait"
import { mayRepeat } from "@svc-runtime/engine/userCode/Effects"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import * as ToolSpan from "@svc-runtime/telemetry/ToolSpan"
import { Effect, Option, Predicate, Result, Schema } from "effect"
import type { DurableCalls } from "../../../nested/DurableCalls.ts"
import type { Agent } from "../../define/Agent.ts"
import type { Answered, Decision, Hooked } from "../AgentJournal.ts"
import type * as HookStages from "../hooks/HookStages.ts"
import * as ToolHooks from "../hooks/ToolHooks.ts"
import type { RunRecorder } from "../RunRecorder.ts"
import * as Text from "../Text.ts"
import * as Turn from "../Turn.ts"
import * as CallKey from "./CallKey.ts"
import * as SourceTools from "./SourceTools.ts"
import * as SuspendedCall from "./SuspendedCall.ts"

// The media of results of tools: stored before the result is, and listed by the run when the call is answered.

interface ResultMediaCaller {
  readonly context: RunContext
  readonly media: MediaStore["Service"]
}

interface Call {
  readonly turn: Turn.Turn
  readonly index: number
}

const lineOf = ({ mime_type, size, url }: Media.File): string => `[${mime_type}, ${size} bytes: ${url}]`

const failed = ({ message }: { readonly message: string }) => new ToolFailed({ message })

/** The result as the model reads it. Results without media stay as they are. */
const stored = ({ context, media }: ResultMediaCaller, { index, turn }: Call, returned: unknown) =>
  returned instanceof MediaResult.MediaResult
    ? Effect.gen(function*() {
      const text = yield* Effect.fromResult(Result.mapError(Text.ofResult(returned.content), failed))
      const made = returned.media.map(({ bytes, mediaType }) => ({ bytes, mime_type: mediaType }))
      const files = yield* Effect.mapError(
        GeneratedMedia.stored(media, context.sessionId, made, "The media of the result"),
        failed
      )
      turn.media.set(index, files)
      return [text, ...files.map(lineOf)].filter((line) => line !== "").join("\n")
    })
    : Effect.succeed(returned)

/** The field of the journal entry of the call. */
const listed = ({ index, turn }: Call): Pick<Answered, "media"> => {
  const media = turn.media.get(index)
  return media === undefined ? {} : { media }
}

const callLine = (name: string, args: Json.Value): string => {
  const pairs = Predicate.isObject(args)
    ? Object.entries(args as Json.Object).map(([key, value]) => `${key}=${Text.ofJson(value)}`)
    : [Text.ofJson(args)]
  return `${name}(${pairs.join(", ")})`
}

/** The calling run. */
export interface Caller {
  readonly recorder: RunRecorder
  readonly agent: Agent
  readonly context: RunContext
  readonly hooked: HookStages.Hooked
  readonly media: MediaStore["Service"]
  readonly sampling: Sampling["Service"]
  readonly durable: DurableCalls | undefined
  /** Returns when the result of a call is stored. */
  readonly onAnswer: (answered: Answered) => Effect.Effect<void, ValueTooLarge>
  /** Returns when it is stored what hooks have changed before calls. */
  readonly onHooked: (hooked: Hooked) => Effect.Effect<void, ValueTooLarge>
  /** Returns when it is stored that decided calls, by index, start. */
  readonly onBegin: (calls: ReadonlyArray<number>) => Effect.Effect<void, ValueTooLarge>
  readonly underLease: RunJournal["underLease"]
  readonly isCancelled: () => boolean
}

/** A call and its tool. */
interface Made {
  readonly turn: Turn.Turn
  readonly index: number
  readonly tool: Tool
  readonly decision: Turn.Decided | undefined
}

const executionOf = ({ tools }: RunRecorder, { index, turn }: Made): ToolExecution.ToolExecution => {
  const execution = tools[turn.places[index] ?? -1]
  if (execution === undefined) throw new Error(`Call ${index} has no execution`)
  return execution
}

/** The images and documents of a result, which the model can get. */
const shownMedia = ({ index, tool, turn }: Made): Pick<Message.Message, "files" | "images"> => {
  const media = tool.showMedia === false ? [] : turn.media.get(index) ?? []
  const images = media.filter(({ mime_type = "" }) => mime_type.startsWith("image/"))
  const files = media.filter(({ mime_type }) => mime_type === "application/pdf")
  return { ...(images.length === 0 ? {} : { images }), ...(files.length === 0 ? {} : { files }) }
}

/** The result of a rejected call is the note of a person, and would read like one of the tool. */
const rejectedLine = ({ decision, tool }: Made, { result, tool_call_error }: ToolExecution.ToolExecution) => {
  if (decision === undefined) return undefined
  const isRejected = decision.confirmed === false ||
    (Turn.isToFunction(decision) && tool_call_error === true && result === decision.note)
  if (!isRejected) return undefined
  if (decision.outcome_unknown === true) {
    return "(The outcome of this call is unknown, and a person has declined to repeat it.)"
  }
  // clients reject what failed where they executed it
  return tool.externalExecution ? "(This call was rejected, or has failed.)" : "(A person has rejected this call.)"
}

/** A model tries again what has failed: it reads that a person has rejected the call, also without a note. */
const shownResult = (made: Made, tool: ToolExecution.ToolExecution): string => {
  const result = tool.result ?? ""
  const line = rejectedLine(made, tool)
  if (line === undefined) return result
  return made.decision?.note === undefined ? line : `${line}\n\n${result}`
}

const messageOf = (recorder: RunRecorder, made: Made, tool: ToolExecution.ToolExecution): Message.Message =>
  recorder.message("tool", {
    ...shownMedia(made),
    content: UnfinishedTurn.withBefore(Turn.shownBefore(made.turn, made.index), shownResult(made, tool)),
    tool_call_id: tool.tool_call_id,
    tool_name: tool.tool_name,
    tool_args: tool.tool_args,
    tool_call_error: tool.tool_call_error === true,
    stop_after_tool_call: tool.stop_after_tool_call
  })

/** Records a result in the run and in the journal. */
const answerWith = Effect.fnUntraced(function*(
  { onAnswer, recorder }: Caller,
  made: Made,
  tool: ToolExecution.ToolExecution
) {
  const { index, turn } = made
  const isLast = tool.stop_after_tool_call && tool.tool_call_error !== true
  const message = messageOf(recorder, made, tool)
  Turn.setTool(recorder, turn, index, () => tool)
  turn.answers.set(index, { message, isLast })
  turn.begun.delete(index)
  recorder.files.push(...turn.media.get(index) ?? [])
  yield* onAnswer({
    kind: "answered",
    call: index,
    message,
    tool,
    is_last: isLast,
    ...listed({ turn, index }),
    ...ToolHooks.failureIn(turn, index)
  })
})

const effectIdOf = ({ context }: Caller, { index, turn }: Made): string =>
  CallKey.effectId(context.runId, CallKey.make(turn.step, index))

/** The result as the model reads it, with the media that were sent with it. */
const withMedia = Effect.fnUntraced(function*(caller: Caller, made: Made, decision: Turn.Decided) {
  const { media, result } = decision
  if (media === undefined || result === undefined) return decision
  const parts = media.map(({ content, mime_type }) => ({ text: "", data: content, mediaType: mime_type }))
  const kept = yield* Effect.result(stored(caller, made, MediaResult.ofParts([{ text: result }, ...parts])))
  const text = Result.isSuccess(kept) ? String(kept.success) : `${result}\n(${kept.failure.message})`
  return { ...decision, result: text }
})

const answerFor = Effect.fnUntraced(function*(caller: Caller, made: Made, given: Turn.Decided) {
  const decision = yield* withMedia(caller, made, given)
  const { toolResult } = yield* ByteLimits
  yield* HeldCalls.close(effectIdOf(caller, made))
  const execution = closed(executionOf(caller.recorder, made), decision, toolResult)
  const outcome = { result: execution.result, isError: execution.tool_call_error }
  const { isError, result } = outcome.isError
    ? outcome
    : yield* ToolHooks.after(caller, made, execution, outcome)
  const done = { ...execution, result, tool_call_error: isError, stop_after_tool_call: made.tool.stopAfterCall }
  return yield* answerWith(caller, made, done)
})

/** The calls of a turn that decisions have closed, and whose results are not in the journal yet. */
export const closedIn = Effect.fnUntraced(function*({ tools }: RunRecorder, turn: Turn.Turn | undefined) {
  const { toolResult } = yield* ByteLimits
  const found = [...turn?.decisions ?? []].flatMap(([index, decision]) => {
    const execution = tools[turn?.places[index] ?? -1]
    return execution === undefined || turn?.answers.has(index) === true || !isClosedBy(decision)
      ? []
      : [closed(execution, decision, toolResult)]
  })
  return found.length === 0 ? {} : { tools: found }
})

const decodeFields = Schema.decodeUnknownOption(Schema.Array(Field))

/** What a person gave for a call that has asked. */
const replyOf = ({ asked, declined, note, user_input_schema }: Decision): Reply | undefined =>
  asked === undefined ? undefined : {
    values: Object.fromEntries(
      Option.getOrElse(decodeFields(user_input_schema), () => []).flatMap(({ name, value }) =>
        value === null ? [] : [[name, value]]
      )
    ),
    state: asked.state,
    ...(declined === true ? { declined: note ?? null } : {})
  }

const perform = Effect.fnUntraced(function*(caller: Caller, made: Made, execution: ToolExecution.ToolExecution) {
  const { context, isCancelled, recorder, sampling, underLease } = caller
  const { index, tool, turn } = made
  const args = execution.tool_args
  Turn.setTool(recorder, turn, index, () => execution)
  turn.started.add(index)
  recorder.emit({ event: "ToolCallStarted", tool: execution })
  const startTime = recorder.preciseNow()
  const startedAt = recorder.elapsed()
  const effectId = effectIdOf(caller, made)
  const { tool_call_id } = execution
  const reply = made.decision === undefined ? undefined : replyOf(made.decision)
  const durable = caller.durable?.of({
    key: CallKey.make(turn.step, index),
    effectId,
    tool: tool.name,
    effects: tool.effects,
    context,
    reply
  })
  const calling = CustomEvents.scoped(
    (fields) => recorder.emit({ tool_call_id, ...fields } as RunEvent.AgentPayload),
    (emit) =>
      Effect.flatMap(
        underLease(
          tool.effects,
          tool.call(args, {
            ...context,
            toolCallId: tool_call_id,
            effectId,
            emit,
            isCancelled,
            reply,
            durable
          }).pipe(Effect.provideService(Sampling, sampling))
        ),
        (returned) => Effect.flatMap(stored(caller, made, returned), (kept) => Wait.begun(kept, execution.created_at))
      )
  )
  const wait = () => {
    turn.waiting.add(index)
    // a call that is repeated after a crash waits as it would have
    turn.begun.delete(index)
  }
  const hookResult = turn.hooked.get(index)
  const outcome = yield* Effect.result(hookResult === undefined ? calling : Effect.succeed(hookResult))
  if (Result.isSuccess(outcome) && outcome.success instanceof Wait.Waiting) {
    const { until: wake_at } = outcome.success
    Turn.setTool(recorder, turn, index, () => ({
      ...execution,
      ...SuspendedCall.notDecided,
      ...Turn.shownBefore(turn, index),
      external_execution_required: true,
      wake_at
    }))
    wait()
    return
  }
  if (Result.isSuccess(outcome) && outcome.success instanceof Asking) {
    const { fields, message, state } = outcome.success
    Turn.setTool(recorder, turn, index, () => ({
      ...execution,
      ...SuspendedCall.notDecided,
      ...Turn.shownBefore(turn, index),
      requires_user_input: true,
      user_input_schema: Json.of(fields),
      asked: { message, state }
    }))
    wait()
    return
  }
  if (Result.isSuccess(outcome) && outcome.success instanceof Suspension) {
    const suspension = outcome.success as Suspension<SuspendedCall.Wait>
    const waiting = SuspendedCall.shown(execution, suspension)
    const inside = SuspendedCall.inside(suspension)
    Turn.setTool(recorder, turn, index, () => ({ ...waiting ?? execution, ...Turn.shownBefore(turn, index) }))
    if (waiting !== undefined) wait()
    if (inside.length > 0) turn.inside.set(index, inside)
    turn.begun.delete(index)
    return
  }
  const duration = recorder.elapsed() - startedAt
  const child = Result.isSuccess(outcome) && outcome.success instanceof ChildRun ? outcome.success : undefined
  const written = child === undefined ? Result.flatMap(outcome, Text.ofResult) : ChildRun.result(child)
  const instruments = yield* Instruments
  instruments.toolEnded({ tool: tool.name, isError: Result.isFailure(written), seconds: duration })
  const text = Result.isFailure(written) ? written.failure.message : written.success
  const given = { result: cutFor(tool, text, yield* ByteLimits), isError: Result.isFailure(written) }
  const isPausing = child !== undefined && child.requirements.length > 0
  const { isError: isFailure, result } = isPausing
    ? given
    : yield* ToolHooks.after(caller, made, execution, given)
  const done: ToolExecution.ToolExecution = {
    ...execution,
    tool_call_error: isFailure,
    result,
    metrics: { start_time: startTime, end_time: startTime + duration, duration },
    child_run_id: child?.run_id ?? null,
    stop_after_tool_call: tool.stopAfterCall
  }
  recorder.emit({
    event: "ToolCallCompleted",
    content: `${callLine(tool.name, args)} completed in ${duration.toFixed(4)}s. `,
    tool: done
  })
  if (isFailure) recorder.emit({ event: "ToolCallError", tool: done, error: result })
  if (!mayRepeat(tool.effects) && Result.isFailure(outcome) && outcome.failure.cause instanceof OutcomeLost) {
    Turn.setTool(recorder, turn, index, () => execution)
    turn.begun.add(index)
    turn.unknown.set(index, outcome.failure.cause.message)
    return
  }
  if (isPausing) {
    Turn.setTool(recorder, turn, index, () => ({ ...done, ...Turn.shownBefore(turn, index) }))
    turn.inside.set(index, child.requirements)
    return
  }
  yield* answerWith(caller, made, done)
})

const execute = (caller: Caller, made: Made) =>
  Effect.suspend(() => {
    const { index, tool: { description, name }, turn } = made
    const execution = decided(executionOf(caller.recorder, made), made.decision)
    return ToolSpan.around(perform(caller, made, execution), {
      id: execution.tool_call_id,
      name,
      description,
      args: execution.tool_args,
      outcome: () => {
        const { result, tool_call_error } = executionOf(caller.recorder, { ...made, index, turn })
        return { result, isError: tool_call_error === true }
      }
    })
  })

/** The outcome is unknown, and a repetition could have the effect twice. */
const isUnknown = ({ decision, index, tool, turn }: Made): boolean =>
  turn.begun.has(index) && !mayRepeat(tool.effects) && decision?.result === undefined && decision?.confirmed !== false

/** It is executed by decision, and must not be repeated. */
const isDecidedOnce = ({ decision, index, tool, turn }: Made): boolean =>
  !turn.answers.has(index) && !mayRepeat(tool.effects) && decision !== undefined && decision.result === undefined &&
  decision.confirmed !== false

const pauseFor = (recorder: RunRecorder, made: Made) => {
  const { index, tool, turn } = made
  const message = turn.unknown.get(index)
  Turn.setTool(recorder, turn, index, (execution) => ({
    ...decided(execution, made.decision),
    // the earlier decision was about the first execution: sent back unchanged, it must not repeat or reject the call
    ...(isUnknown(made) ?
      {
        ...SuspendedCall.notDecided,
        ...Turn.shownBefore(turn, index),
        external_execution_required: true,
        outcome_unknown: true,
        ...(message === undefined ? {} : { asked: { message, state: null } })
      } :
      {
        ...(Turn.isConfirmed(turn, index, tool) ? { requires_confirmation: true } : {}),
        ...(tool.userInputFields === undefined
          ? {}
          : { requires_user_input: true, user_input_schema: Json.of(tool.userInputFields) }),
        ...(tool.externalExecution ? { external_execution_required: true } : {}),
        ...(tool.approval === undefined ? {} : { approval_type: tool.approval })
      })
  }))
}

/** How to handle a call. Undefined: it waits for a decision. */
const stepOf = (caller: Caller, made: Made): Effect.Effect<void, ValueTooLarge> | undefined => {
  const { decision, index, tool, turn } = made
  if (turn.answers.has(index)) return Effect.void
  if (decision !== undefined && isClosedBy(decision)) {
    return answerFor(caller, made, decision)
  }
  if (turn.hooked.get(index) !== undefined) return execute(caller, made)
  if (isUnknown(made) || (decision === undefined && Turn.needsPerson(turn, index, tool))) return undefined
  return execute(caller, made)
}

export type Answers =
  | {
    readonly _tag: "Answered" /** The answer of the run, when a tool has given it. */
    readonly last: string | undefined
  }
  | { readonly _tag: "Waiting"; readonly inside: ReadonlyArray<Requirement.Requirement> }

/** The calls whose hooks are called now: they are executed, or wait for a person. */
const beforeCalls = (agent: Agent, turn: Turn.Turn): ReadonlyArray<number> =>
  turn.calls.flatMap((_, index) => {
    const tool = Turn.toolOf(agent, turn, index)
    if (tool === undefined || turn.answers.has(index)) return []
    const decision = turn.decisions.get(index)
    const isHooked = !isUnknown({ turn, index, tool, decision }) && (decision === undefined || !isClosedBy(decision))
    return isHooked ? [index] : []
  })

/** A function whose durable calls are known is repeated up to where it was cut off. */
const takeUp = ({ durable }: Caller, turn: Turn.Turn): void => {
  for (const index of turn.begun) {
    if (!turn.gone.has(index) && durable?.isUnderway(CallKey.make(turn.step, index)) === true) turn.begun.delete(index)
  }
}

/** A call whose run inside has lost its agent is not made again: a person says what has happened. */
const setAside = ({ agent, durable }: Caller, turn: Turn.Turn): void => {
  for (const [index, call] of turn.calls.entries()) {
    const reason = turn.answers.has(index) ? undefined : durable?.lost(CallKey.make(turn.step, index))
    if (reason === undefined) continue
    turn.gone.set(index, SourceTools.standIn(agent, call))
    turn.begun.add(index)
    turn.unknown.set(index, reason)
  }
}

/** Adds the results to the turn. Calls that need a decision are marked. */
export const answer = Effect.fnUntraced(function*(caller: Caller, turn: Turn.Turn) {
  const { agent, onBegin, recorder } = caller
  takeUp(caller, turn)
  setAside(caller, turn)
  yield* ToolHooks.before(caller, turn, beforeCalls(agent, turn))
  const waiting: Array<Made> = []
  const beginning: Array<number> = []
  const executed: Array<Made> = []
  const steps = turn.calls.flatMap((_, index) => {
    const tool = Turn.toolOf(agent, turn, index)
    if (tool === undefined) return []
    const made: Made = { turn, index, tool, decision: turn.decisions.get(index) }
    const step = stepOf(caller, made)
    if (step === undefined) waiting.push(made)
    else executed.push(made)
    if (step !== undefined && isDecidedOnce(made)) beginning.push(index)
    return step === undefined ? [] : [step]
  })
  turn.inside.clear()
  turn.waiting.clear()
  if (beginning.length > 0) yield* onBegin(beginning)
  yield* Effect.all(steps, { concurrency: "unbounded", discard: true })
  const [failure] = turn.failures.values()
  if (failure !== undefined) return yield* Effect.fail(failure)
  // their answers were lost
  waiting.push(...executed.filter(({ index }) => turn.begun.has(index) && !turn.answers.has(index)))
  const inside = [...turn.inside.values()].flat()
  if (waiting.length > 0 || inside.length > 0 || turn.waiting.size > 0) {
    for (const made of waiting) pauseFor(recorder, made)
    const answers: Answers = { _tag: "Waiting", inside }
    return answers
  }
  const last = [...turn.answers].toSorted(([one], [other]) => one - other).filter(([, { isLast }]) => isLast)
  const answers: Answers = {
    _tag: "Answered",
    last: last.length === 0 ? undefined : last.map(([, { message }]) => message.content).join("\n")
  }
  return answers
})

/** No decision is needed any more. */
const waitsForNothing = { requires_confirmation: false, requires_user_input: false, external_execution_required: false }

/** The reason of a refusal is no note of the call. */
const notedLast = ({ noted }: Turn.Decided) => noted.findLast(({ declined }) => declined !== true)?.note

/** From then on the decision is part of the call. */
export const decided = (
  { asked: _, before_result: __, ...execution }: ToolExecution.ToolExecution,
  decision: Turn.Decided | undefined
) => {
  if (decision === undefined) return execution
  const { confirmed, form, note = notedLast(decision), tool_args, user_input_schema = form } = decision
  const waited = execution.requires_user_input === true || user_input_schema !== undefined
  return {
    ...execution,
    ...waitsForNothing,
    ...(confirmed === undefined ? {} : { confirmed }),
    ...(note === undefined ? {} : { confirmation_note: note }),
    ...(tool_args === undefined ? {} : { tool_args }),
    ...(user_input_schema === undefined ? {} : { user_input_schema }),
    ...(waited ? { answered: true } : {})
  }
}

const rejection = "Tool call was rejected"

/** A call that a person rejected, or executed elsewhere. */
const closed = (given: ToolExecution.ToolExecution, decision: Turn.Decided, limit: number) => {
  const isMade = decision.result !== undefined
  const note = decision.note ?? rejection
  return {
    ...decided(given, decision),
    ...(isMade ? {} : { confirmation_note: note }),
    result: cut(decision.result ?? note, limit),
    tool_call_error: !isMade
  }
}

/** Whether the call is not executed here. */
const isClosedBy = ({ confirmed, result }: Decision): boolean => confirmed === false || result !== undefined
