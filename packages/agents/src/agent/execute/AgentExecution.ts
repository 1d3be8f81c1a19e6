// What the steps of an execution of an agent share, made from its command and its journal.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as Enqueue from "@svc-runtime/engine/jobs/Enqueue"
import type { Jobs } from "@svc-runtime/engine/jobs/Jobs"
import { checkState, type ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import * as JournalMedia from "@svc-runtime/engine/media/JournalMedia"
import type { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import type { Cancellation } from "@svc-runtime/engine/run/engine/Cancellation"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import type { Start } from "@svc-runtime/engine/run/Runnable"
import * as SharedOptions from "@svc-runtime/engine/run/SharedOptions"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import * as StateChange from "@svc-runtime/engine/session/StateChange"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import type { Model } from "@svc-runtime/models/Model"
import * as PromptCache from "@svc-runtime/models/PromptCache"
import { Effect, Option } from "effect"
import type { DurableCalls } from "../../nested/DurableCalls.ts"
import { type AgentCommand, historyOf } from "./AgentCommand.ts"
import * as AgentJournal from "./AgentJournal.ts"
import * as ContextFit from "./context/ContextFit.ts"
import type { ContextSource } from "./context/ContextSource.ts"
import * as EarlierMessages from "./context/EarlierMessages.ts"
import * as ToolMedia from "./context/ToolMedia.ts"
import * as HookModel from "./hooks/HookModel.ts"
import type { Hooked } from "./hooks/HookStages.ts"
import * as ModelFallback from "./model/ModelFallback.ts"
import { named, type OutputSchema } from "./model/StructuredOutput.ts"
import * as Replay from "./Replay.ts"
import type { PartRun, RunPart } from "./RunPart.ts"
import * as RunRecorder from "./RunRecorder.ts"
import * as SessionState from "./SessionState.ts"

/** The dependencies of a run. */
export interface Dependencies {
  readonly model: Model
  /** Requested in this order if the model fails. */
  readonly fallbacks: ReadonlyArray<Model>
  /** Undefined: the agent reasons with its own model. */
  readonly reasoning: Model | undefined
  readonly approvals: ApprovalStore["Service"]
  readonly jobs: Jobs["Service"]
  readonly media: MediaStore["Service"]
  /** The models of hooks that have their own, by the name of the hook. */
  readonly hookModels?: ReadonlyMap<string, Model> | undefined
  /** What features add to its runs. */
  readonly parts?: ReadonlyArray<(run: PartRun) => RunPart> | undefined
  /** The durable calls of its tools. Left out: they fail. */
  readonly durable?: DurableCalls | undefined
  /** Further sections of the system message. */
  readonly contextSources?: ReadonlyArray<ContextSource> | undefined
  /** The agent leads a team of the same id. */
  readonly isLeader?: boolean | undefined
  /** Further input for a model that has finished. Undefined: it has answered. */
  readonly followUp?: (() => Effect.Effect<string | undefined>) | undefined
}

export interface AgentExecution {
  readonly attempt: number
  readonly replayed: Replay.Replayed
  readonly record: (entry: AgentJournal.Entry) => Effect.Effect<void, ValueTooLarge>
  readonly underLease: RunJournal.RunJournal["underLease"]
  readonly cancellation: Cancellation
  readonly recorder: RunRecorder.RunRecorder
  readonly command: AgentCommand
  readonly dependencies: Dependencies
  readonly models: ModelFallback.RunModels
  readonly context: RunContext
  readonly hooked: Hooked
  readonly fit: ContextFit.ContextFit
  /** What features add, in the order of their sections. */
  readonly parts: ReadonlyArray<RunPart>
  /** The state of the session when this execution began. */
  readonly stored: Json.Object
  readonly history: ReadonlyArray<Message.Message>
  /** Requests leave out what the provider may have refused. */
  readonly leftOut: { isOn: boolean }
  readonly media: ToolMedia.ToolMedia
  /** The session has had as many runs as the history may have. */
  readonly isHistoryFull: boolean
  /** Requests are made for the cache of the provider. */
  readonly cache: PromptCache.PromptCache | undefined
  readonly outputSchema: OutputSchema | undefined
}

/** Writes entries with the changes of the session state since the previous one. */
const recordWith = (journal: RunJournal.RunJournal, sessionState: Json.Object) => {
  const written = SessionState.open({}, sessionState)
  return (entry: AgentJournal.Entry) =>
    Effect.suspend(() => {
      if (entry.kind !== "asked" && entry.kind !== "answered") return journal.record(AgentJournal.encode(entry))
      const state = Option.getOrUndefined(StateChange.changeTo(written, sessionState))
      if (state === undefined) return journal.record(AgentJournal.encode(entry))
      return Effect.andThen(
        checkState(written, StateChange.apply(written, state)),
        Effect.suspend(() => {
          StateChange.applyTo(written, state)
          return journal.record(AgentJournal.encode({ ...entry, state }))
        })
      )
    })
}

/** The session state after the last execution of the run, with the changes that others stored since. */
const stateOf = (
  { journal, snapshot }: Start,
  command: AgentCommand,
  entries: ReadonlyArray<AgentJournal.Entry>
): Record<string, Json.Value> => {
  const state = SessionState.open(snapshot.session_state, SharedOptions.unstoredState(command, journal))
  for (const entry of RunJournal.unstored(journal, entries)) {
    StateChange.applyTo(state, AgentJournal.stateChangeOf(entry))
  }
  return state
}

const metadataIn = (entries: ReadonlyArray<AgentJournal.Entry>): Json.Object =>
  Object.assign({}, ...entries.map((entry) => entry.kind === "resolved" ? entry.metadata : undefined))

/** The files of answers are in the store of media. */
const withMedia = (
  entry: AgentJournal.Entry,
  { session_id }: AgentCommand,
  { media }: Dependencies
): Effect.Effect<AgentJournal.Entry> =>
  entry.kind === "asked"
    ? Effect.map(JournalMedia.restored(media, session_id, entry.said), (answer) => ({ ...entry, said: answer }))
    : Effect.succeed(entry)

export const executionOf = Effect.fnUntraced(
  function*(command: AgentCommand, dependencies: Dependencies, start: Start) {
    const { cancellation, createdAt, emit, journal, snapshot } = start
    const { agent } = command
    const decoded = yield* Effect.orDie(AgentJournal.decode(journal.entries))
    const entries = yield* Effect.forEach(decoded, (entry) => withMedia(entry, command, dependencies))
    const recorder = yield* RunRecorder.make(emit, createdAt)
    const replayed = Replay.replay(agent, recorder, journal.attempt, entries)
    const sessionState = stateOf(start, command, entries)
    const models = ModelFallback.make(dependencies.model, dependencies.fallbacks)
    const context: RunContext = {
      agentId: agent.id,
      runId: command.run_id,
      sessionId: command.session_id,
      userId: command.user_id,
      sessionState,
      ...RunContextOptions.of(command, agent, metadataIn(entries)),
      enqueue: yield* Enqueue.make(dependencies.jobs, { user_id: command.user_id, session_id: command.session_id })
    }
    const leftOut = { isOn: false }
    const execution: AgentExecution = {
      attempt: journal.attempt,
      underLease: journal.underLease,
      cancellation,
      recorder,
      replayed,
      record: recordWith(journal, sessionState),
      models,
      parts: (dependencies.parts ?? [])
        .map((start) => start({ command, context, isLeader: dependencies.isLeader === true }))
        .toSorted((left, right) => left.order - right.order),
      command,
      dependencies,
      context,
      cache: agent.promptCache === undefined
        ? undefined
        : PromptCache.make(`${agent.id} ${command.session_id}`, agent.promptCache.ttl),
      fit: ContextFit.make({
        ...agent,
        emit,
        key: `${agent.id} ${command.session_id}`,
        canSearch: agent.tools.has("search_history"),
        isCached: agent.promptCache !== undefined,
        readsMedia: () => models.current.reads?.("image/png") === true
      }),
      hooked: HookModel.hookedOf({
        agent,
        context,
        recorder,
        models,
        own: dependencies.hookModels ?? new Map()
      }),
      stored: snapshot.session_state,
      history: [...EarlierMessages.historyOf(command.earlier_messages, createdAt), ...snapshot.history],
      leftOut,
      media: ToolMedia.make({
        store: dependencies.media,
        session: command.session_id,
        settings: agent.showMedia,
        leftOut
      }),
      isHistoryFull: snapshot.history.filter(({ role }) => role === "user").length >= historyOf(command),
      outputSchema: command.outputSchema ?? (agent.outputSchema === undefined ? undefined : named(agent.outputSchema))
    }
    return execution
  }
)
