// The stores of runs and of approvals, with points around everything that a run waits for in it. It also tells what a
// run was when it was taken over: what the journal held is what the rest has to be judged by.
import type * as Approval from "@svc-runtime/domain/Approval"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import type { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import type { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import type { BackgroundTaskStore } from "@svc-runtime/features/backgroundTasks/BackgroundTaskStore"
import type { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import type { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import type * as Knowledge from "@svc-runtime/features/knowledge/Knowledge"
import type { LearningStore } from "@svc-runtime/features/learning/LearningStore"
import type { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import type { MemoryVectorStore } from "@svc-runtime/features/memory/MemoryVectorStore"
import type * as Schedule from "@svc-runtime/features/schedules/Schedule"
import type { ScheduleRunStore } from "@svc-runtime/features/schedules/ScheduleRunStore"
import { Effect, Option } from "effect"
import * as Points from "./Points.ts"

const around = <A, E>(run: string, kind: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    Points.reach(run, kind, "before")
    Points.enter(run, kind)
    return Effect.tap(effect, () => Effect.sync(() => Points.reach(run, kind, "after")))
  })

/** What belongs to no run is named by the environment. */
const ofNode = process.env["FREEZE_AT"] ?? ""

const summaryOf = ({ attempt, entries, eventCount, run_id }: RunSnapshot) => {
  Points.held(run_id, attempt)
  Points.say(`taken ${JSON.stringify({ run_id, attempt, entries, eventCount })}`)
}

/** The sessions that this process has copied, by their copies: a copy is named by its original. */
const originalOf = new Map<string, string>()
const ofCopy = (session: string | null): string => originalOf.get(session ?? "") ?? ""

/** The runs of the approvals that this process has created. */
const runOf = new Map<Approval.Id, string>()

export const approvals = (store: ApprovalStore["Service"]): ApprovalStore["Service"] => ({
  ...store,
  create: (approval, root, ...database) => {
    runOf.set(approval.id, root)
    return around(ofCopy(approval.session_id), "create", store.create(approval, root, ...database))
  },
  resolve: (id, ...resolving) => around(runOf.get(id) ?? "", "resolve", store.resolve(id, ...resolving))
})

/** A claim is named by the session of its run. */
export const idempotency = (store: IdempotencyStore["Service"]): IdempotencyStore["Service"] => ({
  ...store,
  claim: (claim) => around(String(claim.subject["session_id"]), "claim", store.claim(claim))
})

/** The job that makes vectors. A node executes one at a time. */
let vectorJob = ""

export const jobs = (store: JobStore["Service"]): JobStore["Service"] => ({
  ...store,
  acquire: (acquisition) =>
    Effect.tap(store.acquire(acquisition), (acquired) =>
      Effect.sync(() => {
        for (const { attempts, id, kind, session_id } of acquired) {
          Points.held(id, attempts)
          if (kind === "memory-vectors") vectorJob = id
          if (kind === "session-summary") Points.held(session_id ?? "", attempts)
          Points.reach(id, "acquire", "after")
        }
      })),
  cancel: (id, owner) => around(ofCopy(id.replace(/^copied_runs:/, "")), "drop", store.cancel(id, owner)),
  finish: (lease, end) => around(lease.id, "finish", store.finish(lease, end))
})

/** Schedules of the attempts that this process has begun. */
const scheduleOf = new Map<Schedule.RunId, Schedule.Id>()

/** What a schedule does is named by the schedule. */
export const scheduleRuns = (store: ScheduleRunStore["Service"]): ScheduleRunStore["Service"] => ({
  ...store,
  fire: (firings) => around(firings[0]?.id ?? "", "fire", store.fire(firings)),
  begin: (id) =>
    Effect.tap(store.begin(id), (begun) =>
      Effect.sync(() => {
        if (Option.isSome(begun)) scheduleOf.set(id, begun.value.schedule.id)
      })),
  note: (id, run) => around(scheduleOf.get(id) ?? "", "note", store.note(id, run)),
  finish: (id, ending) => around(scheduleOf.get(id) ?? "", "finish", store.finish(id, ending))
})

/** The sessions of background tasks. */
const sessionOfTask = new Map<string, string>()

/** What a background task does is named by the session that gets its result. */
export const backgroundTasks = (store: BackgroundTaskStore["Service"]): BackgroundTaskStore["Service"] => {
  const sessionOf = (id: string) => sessionOfTask.get(id) ?? ""
  return {
    ...store,
    begin: (task, ...others) => around(task.session_id, "begin", store.begin(task, ...others)),
    find: (id) =>
      Effect.tap(store.find(id), (found) =>
        Effect.sync(() => {
          if (Option.isNone(found)) return
          sessionOfTask.set(id, found.value.session_id)
          Points.reach(found.value.session_id, "find", "after")
        })),
    note: (id, status) => around(sessionOf(id), "note", store.note(id, status)),
    finish: (id, ending) => around(sessionOf(id), "finish", store.finish(id, ending))
  }
}

/** The summary of a session is named by the session. */
export const sessions = (store: SessionStore["Service"]): SessionStore["Service"] => ({
  ...store,
  summarize: (summary) => around(summary.session_id, "summarize", store.summarize(summary))
})

/** The changes of a job are named by the job. */
export const memories = (store: MemoryStore["Service"]): MemoryStore["Service"] => ({
  ...store,
  apply: (user, changes, source, at) => around(source.lease?.id ?? "", "apply", store.apply(user, changes, source, at))
})

/** The vectors are named by the job that makes them. */
export const memoryVectors = (store: MemoryVectorStore["Service"]): MemoryVectorStore["Service"] => ({
  ...store,
  put: (model, made) => around(vectorJob, "put", store.put(model, made))
})

export const learnings = (store: LearningStore["Service"]): LearningStore["Service"] => ({
  ...store,
  apply: (update, at) => around(update.lease?.id ?? "", "apply", store.apply(update, at))
})

/** What removes and indexes many contents is named by the process. */
const processRun = process.env["PROCESS_RUN"] ?? ""

/** The names of contents, which name the points. */
const names = new Map<Knowledge.ContentId, string>()
const nameOf = ({ content_id }: Pick<Knowledge.Content, "content_id">): string => names.get(content_id) ?? ""

/** The process that accepts a content is in its first attempt, and each later one in another. */
export const contents = (store: ContentStore["Service"]): ContentStore["Service"] => ({
  ...store,
  put: (content, work, at) => {
    const name = content.name ?? ""
    names.set(content.content_id, name)
    Points.held(name, 1)
    return around(name, "put", store.put(content, work, at))
  },
  get: (key) =>
    Effect.tap(store.get(key), ({ content_id, name }) =>
      Effect.sync(() => {
        if (names.has(content_id)) return
        names.set(content_id, name ?? "")
        Points.held(name ?? "", 2)
      })),
  body: (version) => around(nameOf(version), "body", store.body(version)),
  renew: (version) => around(nameOf(version), "renew", store.renew(version)),
  storeBody: (version, fetched) => around(nameOf(version), "storeBody", store.storeBody(version, fetched)),
  putFile: (folder, ...file) => around(nameOf(folder), "file", store.putFile(folder, ...file)),
  filesOf: (folder, ...after) => around(names.get(folder.content_id) ?? "", "files", store.filesOf(folder, ...after)),
  // the sync of a folder is its third attempt, whichever process begins it
  dueFolders: (due) =>
    Effect.tap(store.dueFolders(due), (folders) =>
      Effect.sync(() => {
        for (const { content: { content_id, name } } of folders) {
          names.set(content_id, name ?? "")
          Points.held(name ?? "", 3)
        }
      })),
  restart: (version, jobs) => around(nameOf(version), "restart", store.restart(version, jobs)),
  // a file is named after its folder
  remove: (key) => around((names.get(key.content_id) ?? "").replace(/\/.*/, ""), "remove", store.remove(key)),
  removeAll: (filter) => around(processRun, "removeall", store.removeAll(filter)),
  prune: around(processRun, "prune", store.prune),
  finish: (version, end, at) => around(nameOf(version), "finish", store.finish(version, end, at))
})

export const chunks = (store: ChunkStore["Service"]): ChunkStore["Service"] => ({
  ...store,
  add: (content, ...batch) => around(nameOf(content), "add", store.add(content, ...batch)),
  publish: (content) => around(nameOf(content), "publish", store.publish(content)),
  index: around(processRun, "index", store.index)
})

export const retention = (store: RetentionStore["Service"]): RetentionStore["Service"] => ({
  ...store,
  prune: (task, seconds) => around(ofNode, task, store.prune(task, seconds))
})

export const make = (store: RunStore["Service"]): RunStore["Service"] => ({
  ...store,
  create: (newRun) => {
    Points.held(newRun.run_id, 1)
    return around(newRun.run_id, "begin", store.create(newRun))
  },
  resume: (resumption) => {
    Points.held(resumption.run_id, resumption.attempt + 1)
    return around(resumption.run_id, "resume", store.resume(resumption))
  },
  fork: (forking) => {
    originalOf.set(forking.session_id, forking.source)
    return around(forking.source, "fork", store.fork(forking))
  },
  record: (recorded) => around(recorded.run_id, "record", store.record(recorded)),
  recordMembers: (outer, runs) => around(outer.run_id, "inner", store.recordMembers(outer, runs)),
  finish: (ending) => around(ending.run.run_id, "finish", store.finish(ending)),
  finishAndDequeue: (ending, node) => around(ending.run.run_id, "finish", store.finishAndDequeue(ending, node)),
  // those of one run: the points of several in one statement would be one and the same
  appendEvents: (happened) => around(happened[0]?.run_id ?? "", "append", store.appendEvents(happened)),
  requestCancel: (run, ...rest) => around(run, "cancel", store.requestCancel(run, ...rest)),
  // the first heartbeat is the one with which the node joins the others
  heartbeat: (presence) => around(ofNode, "heartbeat", store.heartbeat(presence)),
  release: (node) => around(ofNode, "release", store.release(node)),
  takeOver: (takeover) =>
    Effect.tap(store.takeOver(takeover), (taken) =>
      Effect.sync(() => {
        for (const { attempt, run_id } of taken) {
          Points.held(run_id, attempt)
          Points.reach(run_id, "taken", "after")
        }
      })),
  load: (held) =>
    Effect.tap(store.load(held), (loaded) =>
      Effect.sync(() => {
        Option.map(loaded, summaryOf)
        Points.reach(held.run_id, "load", "after")
      }))
})
