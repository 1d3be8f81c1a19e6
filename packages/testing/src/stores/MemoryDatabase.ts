// The shared data of the in-memory layers of the stores. It is a complete database for tests and for services without
// persistence: its data is lost with the process.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Approval from "@svc-runtime/domain/Approval"
import type * as Component from "@svc-runtime/domain/Component"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Memory from "@svc-runtime/domain/Memory"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Usage from "@svc-runtime/domain/Usage"
import type * as UsageHour from "@svc-runtime/domain/UsageHour"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import type { NewMedium } from "@svc-runtime/engine/media/StoredMedium"
import type { Presence } from "@svc-runtime/engine/node/LeasedRuns"
import type { LimitedStart } from "@svc-runtime/engine/run/StartLimits"
import type * as MemorySettingsStore from "@svc-runtime/engine/session/MemorySettingsStore"
import type * as Dataset from "@svc-runtime/features/evaluation/Dataset"
import type * as EvalRun from "@svc-runtime/features/evaluation/EvalRun"
import type * as Experiment from "@svc-runtime/features/evaluation/Experiment"
import type * as Feedback from "@svc-runtime/features/feedback/Feedback"
import type * as Knowledge from "@svc-runtime/features/knowledge/Knowledge"
import type * as Learning from "@svc-runtime/features/learning/Learning"
import * as DayMetrics from "@svc-runtime/features/metrics/DayMetrics"
import type * as Schedule from "@svc-runtime/features/schedules/Schedule"
import type { StoredTaskPush } from "@svc-runtime/features/taskPush/TaskPush"
import type * as Webhook from "@svc-runtime/features/webhooks/Webhook"
import type * as WebhookDelivery from "@svc-runtime/features/webhooks/WebhookDelivery"
import { Context, Layer } from "effect"
import type { StoredDataset, StoredEvalRun, StoredExperiment } from "./StoredEvaluations.ts"
import type { StoredSchedule, StoredScheduleRun } from "./StoredSchedules.ts"
import type { StoredDelivery, StoredWebhook } from "./StoredWebhooks.ts"

/** A map that reports each value that is set, as triggers of a database do. */
export class WatchedMap<Key, Value> extends Map<Key, Value> {
  readonly #watchers: Array<(value: Value, before: Value | undefined) => void> = []

  watch(watcher: (value: Value, before: Value | undefined) => void): void {
    this.#watchers.push(watcher)
  }

  override set(key: Key, value: Value): this {
    const before = this.get(key)
    super.set(key, value)
    for (const watcher of this.#watchers) watcher(value, before)
    return this
  }
}

export interface StoredRun {
  readonly sequence: number
  readonly node: string
  readonly isCancelRequested: boolean
  readonly kind: ComponentKind.ComponentKind
  readonly component_id: string
  readonly component_version?: number | undefined
  /** Without messages and events. */
  readonly output: AnyRun.Output
  /** Of a run that another one replaces: its status before. */
  readonly replacedStatus?: Run.Status | undefined
  /** When it ended or paused, in epoch seconds. */
  readonly updatedAt?: number | undefined
  readonly messages: ReadonlyArray<Message.Message>
  readonly isWithoutMemory?: boolean | undefined
  /** Of a copy, or of a run that replaces another: the number of the original. */
  readonly origin?: number | undefined
  /** The number of its parent, where that is not the root run before it. 0: it has none. */
  readonly after?: number | undefined
  /** It belongs to the run before it. */
  readonly isAddition?: boolean | undefined
  readonly events: ReadonlyArray<RunEvent.RunEvent>
  readonly attempt: number
  readonly isSerialized: boolean
  readonly waitsFor?: LimitedStart | undefined
  /** The number of earlier runs in its history. */
  readonly historyRuns: number
  /** Runs that were cancelled or failed are not in it. */
  readonly skipsUnfinished?: boolean | undefined
  readonly command: Json.Object | null
  readonly entries: ReadonlyArray<Json.Object>
  /** An entry is missing before a recorded one. The entries after the gap are not kept. */
  readonly hasJournalGap?: boolean | undefined
  /** How many entries there were when it was last resumed. */
  readonly resumedAt?: number | undefined
  /** The part of its usage that its session has already. */
  readonly counted: Usage.RunMetrics | undefined
  /** The claims of idempotency keys under which it was resumed. */
  readonly resumeClaims?: ReadonlyArray<string> | undefined
  /** The claim of the idempotency key under which it was started. */
  readonly startClaim?: string | undefined
  readonly begin_id?: string | undefined
  readonly lease?: StoredLease | undefined
}

/** Times in epoch milliseconds. */
export interface StoredLease {
  readonly takeovers: number
  /** How many journal entries there were at the last takeover. */
  readonly takenEntries: number
  readonly postponed: number
  readonly notBefore: number
  /** The time from which no node could execute it. */
  readonly freeSince: number | undefined
  readonly format: number
  /** What was stored when the run was set aside. */
  readonly aside: AnyRun.Output | undefined
}

export interface StoredNode {
  readonly seenAt: number
  readonly steadySince: number
  readonly presence: Presence
}

export interface StoredSession {
  readonly sequence: number
  readonly session: Session.Session
  /** The number of the last run that the summary covers. */
  readonly summarizedRun?: number | undefined
  /** Runs before that one that were not covered, because they had not completed. */
  readonly passedRuns?: ReadonlyArray<number> | undefined
  /** The number of the last run of its path, where that is not the newest one. 0: the path is empty. */
  readonly leafRun?: number | undefined
  /** An evaluation made it. */
  readonly isEvaluation?: boolean | undefined
}

/** The number that counts for the removal of what is known about a user. */
export const originOf = ({ origin, sequence }: StoredRun): number => origin ?? sequence

export interface StoredApproval {
  readonly sequence: number
  /** Whether its session is in this database. */
  readonly isHere: boolean
  /** It is resolved, and its run has not been resumed. */
  readonly isResumePending: boolean
  readonly root_run_id: Run.Id
  readonly approval: Approval.Approval
}

export interface StoredJob {
  readonly sequence: number
  readonly job: Job.Job
  readonly node: string
  readonly lease: number
  readonly isUnique: boolean
  readonly trace: Job.NewJob["trace"]
  /** As of `NewJob`. */
  readonly caller: string | null
  /** The order among the due jobs of a kind. */
  readonly turn: number
  /** Epoch milliseconds. */
  readonly notBefore: number
}

export interface StoredMemory {
  readonly sequence: number
  readonly memory: Memory.Memory
  /** Of its text. The first one when left out. */
  readonly version?: number | undefined
  /** Of its text. Without numbers if the model makes none. */
  readonly vector?: { readonly model: string; readonly numbers: Float32Array | undefined } | undefined
}

/** A key under which changes of memories were applied. */
export interface MemoryKey {
  readonly user_id: Ids.UserId
  readonly session_id: Session.Id | null
}

export interface StoredLearning {
  readonly sequence: number
  readonly learning: Learning.Learning
  /** Of one without an owner, until it is approved. */
  readonly proposed_by: Ids.UserId | null
}

export interface StoredContent {
  readonly sequence: number
  readonly content: Knowledge.Content
  /** The uploaded bytes while they are processed. */
  readonly body: Uint8Array | undefined
  /** How the files of a folder are stored. */
  readonly folder?: Json.Object | undefined
  /** The folder of a file. */
  readonly folder_id?: Knowledge.ContentId | undefined
}

export interface StoredComponentVersion {
  readonly config: Component.StoredConfig
  readonly isRemoved: boolean
}

export interface StoredComponent {
  readonly component: Component.Stored
  readonly isRemoved: boolean
  /** In rising order. */
  readonly versions: ReadonlyMap<number, StoredComponentVersion>
}

export interface StoredFeedback {
  readonly sequence: number
  /** Of the run. */
  readonly owner: Ids.UserId | null
  readonly feedback: Feedback.Stored
}

/** The chunks of one generation of a content, by their places. */
export interface StoredChunks extends Knowledge.Version {
  readonly chunks: Map<number, Knowledge.EmbeddedChunk>
}

export class MemoryDatabase extends Context.Service<MemoryDatabase, {
  readonly sessions: Map<Session.Id, StoredSession>
  readonly runs: WatchedMap<Run.Id, StoredRun>
  /** The runs of a session in the order of acceptance, so that no session pays for the others. */
  readonly runsOf: Map<Session.Id, Array<Run.Id>>
  readonly nodes: Map<string, StoredNode>
  readonly approvals: WatchedMap<Approval.Id, StoredApproval>
  readonly jobs: Map<Job.Id, StoredJob>
  /** How many jobs of a kind the runs of a component have enqueued on the last day with any. */
  readonly dailyJobs: Map<string, { readonly day: number; readonly count: number }>
  readonly memories: Map<Memory.Id, StoredMemory>
  readonly memoryKeys: Map<string, MemoryKey>
  readonly learnings: Map<Learning.Id, StoredLearning>
  /** The users who have switched memory off. */
  readonly withoutMemory: Set<Ids.UserId>
  /** The number of the last row before the memory of a user was removed. */
  readonly memoryErasures: Map<Ids.UserId, number>
  readonly erasures: Array<MemorySettingsStore.Erasure>
  /** The keys of applied updates, each with its session. */
  readonly learningKeys: Map<string, Session.Id>
  /** By `contentKey`. */
  readonly contents: Map<string, StoredContent>
  readonly chunks: Map<number, StoredChunks>
  /** The models of the vectors of each knowledge instance. */
  readonly embeddings: Map<string, Knowledge.Embedding | null>
  /** The generation from which on the contents of an instance have its model. */
  readonly embeddedSince: Map<string, number>
  readonly days: Map<DayMetrics.Day, DayMetrics.DayMetrics>
  /** The days whose sessions changed since they were computed. */
  readonly changedDays: Set<DayMetrics.Day>
  readonly evalRuns: WatchedMap<EvalRun.Id, StoredEvalRun>
  readonly datasets: Map<Dataset.Id, StoredDataset>
  readonly experiments: WatchedMap<Experiment.Id, StoredExperiment>
  readonly components: Map<Component.Id, StoredComponent>
  readonly feedback: Map<Feedback.Id, StoredFeedback>
  readonly media: Map<Session.Id, ReadonlyMap<string, NewMedium>>
  readonly schedules: Map<Schedule.Id, StoredSchedule>
  readonly scheduleRuns: WatchedMap<Schedule.RunId, StoredScheduleRun>
  readonly taskPushes: Map<Run.Id, ReadonlyArray<StoredTaskPush>>
  readonly webhooks: Map<Webhook.Id, StoredWebhook>
  readonly deliveries: Map<WebhookDelivery.Id, StoredDelivery>
  /** The events that webhooks of another database want. */
  readonly followedEvents: Set<Webhook.EventType>
  /** Ended runs that are not added to their hours yet. */
  readonly endedRuns: Array<UsageHour.EndedRuns>
  readonly usageHours: Array<UsageHour.UsageHour>
  /** Runs that started within a minute, by the keys of `StartLimits`. */
  readonly starts: Map<string, { readonly since: number; readonly count: number }>
  /** The next number in the order of all rows. */
  readonly next: () => number
}>()("@svc-runtime/testing/stores/MemoryDatabase") {
  static readonly layer = Layer.merge(
    StoreLimits.layerWith(),
    Layer.sync(MemoryDatabase, () => {
      let last = 0
      return MemoryDatabase.of({
        sessions: new Map(),
        runs: new WatchedMap(),
        runsOf: new Map(),
        nodes: new Map(),
        approvals: new WatchedMap(),
        jobs: new Map(),
        dailyJobs: new Map(),
        memories: new Map(),
        memoryKeys: new Map(),
        learnings: new Map(),
        withoutMemory: new Set(),
        memoryErasures: new Map(),
        erasures: [],
        learningKeys: new Map(),
        contents: new Map(),
        chunks: new Map(),
        embeddings: new Map(),
        embeddedSince: new Map(),
        days: new Map(),
        changedDays: new Set(),
        evalRuns: new WatchedMap(),
        datasets: new Map(),
        experiments: new WatchedMap(),
        components: new Map(),
        feedback: new Map(),
        taskPushes: new Map(),
        media: new Map(),
        schedules: new Map(),
        scheduleRuns: new WatchedMap(),
        webhooks: new Map(),
        deliveries: new Map(),
        followedEvents: new Set(),
        endedRuns: [],
        usageHours: [],
        starts: new Map(),
        next: () => ++last
      })
    })
  )
}

/** Rows of a database in memory, the last one first. */
export const newestFirst = <A extends { readonly sequence: number }>(all: Iterable<A>): Array<A> =>
  [...all].sort((one, other) => other.sequence - one.sequence)

// Notes, in memory, that a session changed: the figures of its day are computed again.

export const markDayChanged = (
  { changedDays }: MemoryDatabase["Service"],
  { created_at }: Pick<Session.Session, "created_at">
): void => {
  changedDays.add(DayMetrics.dayOf(created_at))
}
