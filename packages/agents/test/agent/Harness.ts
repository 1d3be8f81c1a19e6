// Runs an agent on a scripted model, without stores, and keeps everything that can be seen of the run.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import * as Time from "@svc-runtime/domain/Time"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { defaultByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import type { RunResult } from "@svc-runtime/engine/run/Runnable"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Cause, Clock, Deferred, Effect, Exit, Layer, Logger, References } from "effect"
import type { AgentCommand } from "../../src/agent/execute/AgentCommand.ts"
import * as AgentRunner from "../../src/agent/execute/AgentRunner.ts"
import type { ContextSource } from "../../src/agent/execute/context/ContextSource.ts"

export const commandOf = (agent: Agent.Agent, given: Partial<AgentCommand> = {}): AgentCommand => ({
  agent,
  run_id: Run.Id.make("run"),
  session_id: Session.Id.make("session"),
  user_id: undefined,
  isolated: false,
  input: { input_content: "Hi" },
  background: false,
  stream: true,
  session_state: undefined,
  dependencies: {},
  metadata: undefined,
  outputSchema: undefined,
  add_history_to_context: undefined,
  add_dependencies_to_context: false,
  add_session_state_to_context: false,
  memory: undefined,
  knowledge_filters: undefined,
  client_tools: undefined,
  model: undefined,
  model_settings: undefined,
  earlier_messages: undefined,
  ...given
})

export interface Given extends Partial<AgentCommand> {
  /** What is stored of the session. */
  readonly sessionState?: Json.Object
  readonly history?: ReadonlyArray<Message.Message>
  /** A model of its own to think with. */
  readonly thinker?: Script.ScriptedModel
  /** Models that are requested if the first one fails. */
  readonly fallbacks?: ReadonlyArray<Script.ScriptedModel>
  /** Further sections of what the model is shown. */
  readonly contextSources?: ReadonlyArray<ContextSource>
  /** 1, when left out. */
  readonly attempt?: number
  /** The journal of an execution that was cut off. */
  readonly journaled?: ReadonlyArray<Json.Object>
  /** Where approvals are stored. */
  readonly approvals?: ApprovalStore["Service"]
  /** Where media of answers are stored. */
  readonly media?: MediaStore["Service"]
  /** The provider that checks the requests, by a reference of its models. */
  readonly as?: string
  /** Called with each event when it happens. */
  readonly onEvent?: (event: RunEvent.Payload) => void
}

export interface Ran extends RunResult<Run.Output> {
  /** With the last one. */
  readonly events: ReadonlyArray<RunEvent.Payload>
  readonly kinds: ReadonlyArray<RunEvent.Kind>
  /** The entries that were recorded. */
  readonly journal: ReadonlyArray<Json.Object>
  /** What the model was asked. */
  readonly calls: ReadonlyArray<Script.Call>
}

export const run = Effect.fnUntraced(function*(
  options: Omit<Agent.Options, "id">,
  turns: ReadonlyArray<Script.Turn>,
  given: Given = {}
) {
  const {
    approvals,
    as,
    attempt = 1,
    contextSources,
    fallbacks = [],
    history = [],
    journaled = [],
    media,
    onEvent,
    sessionState = {},
    thinker,
    ...command
  } = given
  const script = yield* Script.make(turns, { as })
  const events: Array<RunEvent.Payload> = []
  const emit = (event: RunEvent.Payload) => {
    events.push(event)
    onEvent?.(event)
  }
  const database = Layer.fresh(MemoryDatabase.layer)
  const noSignals = { enqueued: Effect.void, cancelled: Effect.void }
  const runnable = AgentRunner.make(commandOf(Agent.make({ id: "agent", ...options }), command), {
    model: script.model,
    fallbacks: fallbacks.map(({ model }) => model),
    reasoning: thinker?.model,
    contextSources,
    approvals: approvals ?? (yield* ApprovalStore.pipe(
      Effect.provide(InMemory.ApprovalStore.pipe(Layer.provide(database)))
    )),
    media: media ?? (yield* MediaStore.pipe(Effect.provide(InMemory.MediaStore.pipe(Layer.provide(database))))),
    jobs: yield* JobStore.useSync((store) => Jobs.make(store, defaultByteLimits.jobPayload, noSignals)).pipe(
      Effect.provide(InMemory.JobStore.pipe(Layer.provide(database)))
    )
  })
  const journal: Array<Json.Object> = []
  emit(runnable.startEvent)
  const ended = yield* Effect.flatMap(
    runnable.run({
      cancellation: { reason: undefined },
      snapshot: { session_state: sessionState, history },
      createdAt: Time.fromMillis(yield* Clock.currentTimeMillis),
      emit,
      journal: {
        attempt,
        entries: journaled,
        record: (entry) => Effect.sync(() => void journal.push(entry)),
        underLease: (_, effect) => effect
      },
      isContinued: false
    }),
    Effect.fromOption
  )
  const all = [...events, ended.endEvent]
  const ran: Ran = { ...ended, events: all, journal, kinds: all.map(({ event }) => event), calls: yield* script.calls }
  return ran
})

export const eventsOf = <K extends RunEvent.Kind>(
  ran: Pick<Ran, "events">,
  kind: K
): ReadonlyArray<Extract<RunEvent.Payload, { readonly event: K }>> =>
  ran.events.filter((event) => event.event === kind) as never

/** What a message of a prompt says, its tool calls and tool results as one line each. */
const partsOf = (content: string | ReadonlyArray<object>): ReadonlyArray<string> =>
  typeof content === "string" ? [content] : content.map((part) => {
    if ("text" in part) return String(part.text)
    if ("params" in part && "name" in part) return `call ${String(part.name)} ${JSON.stringify(part.params)}`
    if ("result" in part) return `result ${String(part.result)}`
    return "fileName" in part ? `file ${String(part.fileName)}` : "file"
  })

/** A prompt as `role: what it says`, one line for each message. */
export const linesOf = (call: Script.Call | undefined): ReadonlyArray<string> =>
  (call?.prompt.content ?? []).map(({ content, role }) => `${role}: ${partsOf(content as never).join(" | ")}`)

export const rolesOf = (ran: RunResult<Run.Output>): ReadonlyArray<string> =>
  (ran.output.messages ?? []).map(({ role }) => role)

interface Logged {
  readonly level: string
  readonly text: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Runs an effect and gives what it logged beside its result. */
export const logged = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const lines: Array<Logged> = []
  const logger = Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
    lines.push({
      level: logLevel,
      text: `${[message].flat().map(String).join(" ")} ${Cause.pretty(cause)}`.trim(),
      annotations: fiber.getRef(References.CurrentLogAnnotations)
    })
  })
  const result = yield* Effect.provide(effect, Logger.layer([logger]))
  return { result, lines }
})

/** A tool that never answers, and the signal of its first call. */
export const hanging = Effect.gen(function*() {
  const begun = yield* Deferred.make<AbortSignal>()
  const hang = Tool.make({
    name: "hang",
    execute: (_, { signal }) => {
      Deferred.doneUnsafe(begun, Exit.succeed(signal))
      return new Promise(() => {})
    }
  })
  return { hang, begun: Deferred.await(begun) }
})
