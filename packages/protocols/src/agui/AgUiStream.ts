// A run as AG-UI events. Nulls and unknown events break clients, and whatever is open is closed before the last event,
// which is RUN_FINISHED or RUN_ERROR and never both. A client that names its protocol version gets what 1.0 added.
import * as Json from "@svc-runtime/domain/Json"
import { Equal, Option } from "effect"
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
import { type Encoder, frame } from "../run/Encoder.ts"
import * as MediumUrl from "../run/MediumUrl.ts"
import * as OneEnd from "../run/OneEnd.ts"
import type { Completed, Paused, RunPiece, ToolCallEnded, ToolCallStarted } from "../run/RunPiece.ts"
import type { Event } from "./Event.ts"
import * as OpenSteps from "./OpenSteps.ts"

// The difference of two session states as a JSON Patch (RFC 6902). Values of the outermost keys are replaced whole.
type Operation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json.Value }
  | { readonly op: "remove"; readonly path: string }

const pointerOf = (key: string): string => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`

export const stateDelta = (before: Json.Object, after: Json.Object): ReadonlyArray<Operation> => [
  ...Object.keys(before).filter((key) => !Object.hasOwn(after, key)).map((key) =>
    ({ op: "remove", path: pointerOf(key) }) as const
  ),
  ...Object.entries(after).flatMap(([key, value]): ReadonlyArray<Operation> => {
    if (!Object.hasOwn(before, key)) return [{ op: "add", path: pointerOf(key), value }]
    return JSON.stringify(before[key]) === JSON.stringify(value) ? [] : [{ op: "replace", path: pointerOf(key), value }]
  })
]

export interface Options {
  readonly threadId: string
  /** As the client named it: the run of the service keeps its id when it continues. */
  readonly runId: string
  readonly isVersion1: boolean
  /** The session state as the client has it. Undefined if that is unknown. */
  readonly state?: Json.Object | undefined
  /** The session state as it is when the stream begins. Undefined if that is unknown. */
  readonly sessionState?: Json.Object | undefined
  /** Calls that the client has from an earlier part of the run, with their arguments. */
  readonly known?: ReadonlyMap<string, Json.Value>
  /** Names of the tools that the client executes. */
  readonly clientTools?: ReadonlySet<string>
  /** What the user wrote, for a client that has not: it is read back from a stored run. */
  readonly input?: { readonly id: string; readonly content: string } | undefined
  /** Ends a failed run as one that has ended, because others follow. */
  readonly hidesFailure?: boolean | undefined
  /** Calls whose results the client has: it executed them. */
  readonly answered?: Iterable<string>
  /** What the request has answered without messages. The calls of further questions get their results here. */
  readonly questions?: ReadonlyArray<Question>
  /** The results of calls that the client did not get from the run: rejections. */
  readonly results?: ReadonlyArray<{ readonly toolCallId: string; readonly content: string }>
}

/** Clients read results as JSON. */
const contentOf = (result: string): string => Option.isSome(Json.parse(result)) ? result : JSON.stringify(result)

const result = (toolCallId: string, content: string) => ({
  type: "TOOL_CALL_RESULT",
  messageId: `${toolCallId}-result`,
  toolCallId,
  content: contentOf(content),
  role: "tool"
})

const isEmpty = (state: Json.Object | undefined): boolean => state === undefined || Object.keys(state).length === 0

/** AG-UI calls the field `approved`. Clients make a form of the schema. */
const responseSchema = ({ properties, required, ...schema }: Json.Object): Json.Object => {
  const { accepted, ...others } = Json.isObject(properties) ? properties : {}
  return {
    ...schema,
    properties: accepted === undefined ? others : { approved: accepted, ...others },
    required: Json.isList(required) ? required.map((name) => name === "accepted" ? "approved" : name) : []
  }
}

const interrupt = ({ id, kind, message, schema, toolCallId }: Question) => ({
  id,
  reason: kind === "user_input" || kind === "step_input" ? "input_required" : "tool_call",
  message,
  toolCallId,
  responseSchema: responseSchema(schema),
  metadata: { kind }
})

const inputOf = ({ input, runId, threadId }: Options) =>
  input === undefined
    ? {}
    : { input: { threadId, runId, messages: [{ role: "user", ...input }], tools: [], context: [] } }

export const make = (options: Options): Encoder => {
  const {
    clientTools = new Set<string>(),
    isVersion1,
    known = new Map<string, Json.Value>(),
    results = [],
    runId,
    state,
    threadId
  } = options
  /** With the arguments that the client has. */
  const calls = new Map(known)
  const answered = new Set([...(options.answered ?? []), ...results.map(({ toolCallId }) => toolCallId)])
  const further = new Set((options.questions ?? []).filter(Questions.isFurther))
  const steps = OpenSteps.make(isVersion1)
  let message: { readonly type: "text" | "reasoning"; readonly id: string } | undefined
  /** The assistant message that the calls of a model answer belong to. */
  let parent: string | undefined
  let segment = -1
  let messages = 0
  const { sessionState = state } = options
  let shownState = sessionState
  let paused: Paused | undefined
  let isOver = false

  const closeMessage = (): ReadonlyArray<Event> => {
    if (message === undefined) return []
    const { id: messageId, type } = message
    message = undefined
    return type === "text" ? [{ type: "TEXT_MESSAGE_END", messageId }] : [
      { type: "REASONING_MESSAGE_END", messageId },
      { type: "REASONING_END", messageId }
    ]
  }

  const openMessage = (type: "text" | "reasoning", index: number): ReadonlyArray<Event> => {
    const before = closeMessage()
    const messageId = `${runId}-${index}-${messages++}`
    message = { type, id: messageId }
    if (type === "text") {
      parent = messageId
      return [...before, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" }]
    }
    return [
      ...before,
      { type: "REASONING_START", messageId },
      { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" }
    ]
  }

  const content = (type: "text" | "reasoning", delta: string, index: number): string => {
    const opened = message?.type === type ? [] : openMessage(type, index)
    const name = type === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT"
    return `${opened.map(frame).join("")}data: {"type":"${name}","messageId":${JSON.stringify(message?.id)},"delta":${
      JSON.stringify(delta)
    }}\n\n`
  }

  const call = (id: string, name: string, args: Json.Value, index: number): ReadonlyArray<Event> => {
    if (calls.has(id)) return []
    calls.set(id, args)
    const before = closeMessage()
    parent ??= `${runId}-${index}-calls`
    return [
      ...before,
      { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, parentMessageId: parent },
      { type: "TOOL_CALL_ARGS", toolCallId: id, delta: JSON.stringify(args) },
      { type: "TOOL_CALL_END", toolCallId: id }
    ]
  }

  /** A call that is executed with other arguments than it was shown with. Clients add arguments to those they have. */
  const edited = ({ args, id, name }: ToolCallStarted): ReadonlyArray<Event> => {
    if (!calls.has(id) || Equal.equals(calls.get(id), args)) return []
    calls.set(id, args)
    return [{ type: "CUSTOM", name: "tool_call_edited", value: { toolCallId: id, toolCallName: name, args } }]
  }

  const closeAll = (): ReadonlyArray<Event> => [...closeMessage(), ...steps.endAll(paused !== undefined)]

  const stateEvents = (now: Json.Object): ReadonlyArray<Event> => {
    const before = shownState
    shownState = now
    if (before === undefined) {
      return Object.keys(now).length === 0 ? [] : [{ type: "STATE_SNAPSHOT", snapshot: now }]
    }
    const delta = stateDelta(before, now)
    return delta.length === 0 ? [] : [{ type: "STATE_DELTA", delta }]
  }

  const finished = (outcome?: object, finishReason?: Completed["finishReason"]): ReadonlyArray<Event> => {
    isOver = true
    // the answer ends before its end
    const more = finishReason === undefined ? {} : { result: { finishReason } }
    return [
      ...closeAll(),
      { type: "RUN_FINISHED", threadId, runId, ...(outcome === undefined ? {} : { outcome }), ...more }
    ]
  }

  /** An outcome of version 1.0, which other clients refuse. */
  const finished1 = (outcome: object, finishReason?: Completed["finishReason"]) =>
    finished(isVersion1 ? outcome : undefined, finishReason)

  const failed = (text: string, code?: string): ReadonlyArray<Event> => {
    isOver = true
    return [
      ...closeAll(),
      { type: "RUN_ERROR", message: text, ...(code === undefined ? {} : { code }) }
    ]
  }

  const raw = (event: object): Event => ({ type: "RAW", event, source: "svc" })

  /**
   * A call with the name of a tool of the client is an open call, which the client answers with a message. Everything
   * else is an interrupt. A client that has an interrupt answers by `resume`, and sends no message without it.
   */
  const pausedEnd = ({ questions }: Paused): ReadonlyArray<Event> => {
    const interrupts = questions.filter((each) => !isOfClient(each))
    if (interrupts.length > 0) return finished({ type: "interrupt", interrupts: interrupts.map(interrupt) })
    return finished1({ type: "success", pendingToolCallIds: questions.map(({ toolCallId }) => toolCallId) })
  }

  const isOfClient = ({ name }: Question): boolean => clientTools.has(name)

  /** Ends the calls of further questions that wait no more: clients take a call without a result for an open one. */
  const endFurther = (isOver: (question: Question) => boolean): ReadonlyArray<Event> => {
    const over = [...further].filter(isOver)
    for (const each of over) further.delete(each)
    const ids = over.map(({ toolCallId }) => toolCallId).filter((id) => !answered.has(id))
    for (const id of ids) answered.add(id)
    return ids.length === 0 ? [] : [...closeMessage(), ...ids.map((id) => result(id, Questions.answered))]
  }

  const pause = (piece: Paused): ReadonlyArray<Event> => {
    paused = piece
    const { event, questions, text } = piece
    const over = endFurther(({ id }) => !questions.some((each) => each.id === id))
    for (const each of questions.filter(Questions.isFurther)) further.add(each)
    const says = isVersion1 || questions.every(isOfClient) || text === ""
      ? []
      : [
        ...openMessage("text", event.event_index),
        { type: "TEXT_MESSAGE_CONTENT", messageId: message?.id, delta: text },
        ...closeMessage()
      ]
    return [
      ...over,
      ...says,
      ...questions.flatMap((each) => call(each.toolCallId, each.name, Questions.argsOf(each), event.event_index))
    ]
  }

  const ended = ({ event, id, name, result: content }: ToolCallEnded): ReadonlyArray<Event> => {
    const over = endFurther(({ calledAs }) => calledAs === id)
    if (answered.has(id)) return over
    answered.add(id)
    return [...over, ...call(id, name, {}, event.event_index), ...closeMessage(), result(id, content)]
  }

  /** The result of a call in a run inside, if a person was asked about the call. */
  const resultInside = (piece: RunPiece): ReadonlyArray<Event> => {
    if (piece._tag === "ToolCallStarted") return edited(piece)
    return piece._tag === "ToolCallEnded" && calls.has(piece.id) ? ended(piece) : []
  }

  const eventsOf = (piece: RunPiece): ReadonlyArray<Event> => {
    const { event } = piece
    switch (piece._tag) {
      case "ReasoningEnded":
        return closeMessage()
      case "ToolCallStarted":
        return [...edited(piece), ...call(piece.id, piece.name, piece.args, event.event_index)]
      case "ToolCallEnded":
        return ended(piece)
      case "StepStarted":
        return steps.startStep(piece.id, piece.name)
      case "StepEnded":
        return steps.endStep(piece.id)
      case "MemberStarted":
        return steps.startMember(piece)
      case "MemberEnded":
        return steps.endMember(piece)
      case "Medium": {
        const found = MediumUrl.of(piece)
        return found === undefined ? [] : [{ type: "CUSTOM", name: "medium", value: { kind: piece.kind, ...found } }]
      }
      case "State":
        return [...closeMessage(), ...stateEvents(piece.state)]
      case "Custom":
        return [{ type: "CUSTOM", name: piece.name, value: piece.value }]
      case "Paused":
        return pause(piece)
      case "Completed":
        return finished1({ type: "success" }, piece.finishReason)
      case "Cancelled":
        return finished1({ type: "cancelled" })
      case "Failed":
        return options.hidesFailure === true ? finished() : failed(piece.message, piece.error_type)
      case "Resumed":
        return piece.isVoid ? [...closeMessage(), raw(event)] : [raw(event)]
      case "Other":
        if (event.event.endsWith("ModelRequestStarted")) parent = undefined
        return [raw(event)]
      case "Started":
        return [raw(event)]
      case "Member":
        return [raw(event), ...resultInside(piece.piece)]
      default:
        return []
    }
  }

  return OneEnd.of({
    begin: [
      { type: "RUN_STARTED", threadId, runId, ...(isVersion1 ? { protocolVersion: "1.0" } : {}), ...inputOf(options) },
      ...(isEmpty(state) && isEmpty(sessionState) ? [] : [{ type: "STATE_SNAPSHOT", snapshot: sessionState }]),
      ...results.map(({ content, toolCallId }) => result(toolCallId, content))
    ].map(frame).join(""),
    push: (piece) => {
      paused = undefined
      if (piece._tag === "Text") {
        const closed = piece.segment === segment ? [] : closeMessage()
        segment = piece.segment
        return closed.map(frame).join("") + content("text", piece.delta, piece.event.event_index)
      }
      if (piece._tag === "Reasoning") return content("reasoning", piece.delta, piece.event.event_index)
      return eventsOf(piece).map(frame).join("")
    },
    end: () => {
      if (paused !== undefined) return pausedEnd(paused).map(frame).join("")
      return isOver ? "" : failed("The run has not ended").map(frame).join("")
    },
    broken: (reason) => isOver ? "" : failed(reason).map(frame).join("")
  })
}
