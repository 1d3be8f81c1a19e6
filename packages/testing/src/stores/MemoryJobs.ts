// `JobStore` in memory, for one process.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Job from "@svc-runtime/engine/jobs/Job"
import type { JobsAfterRun } from "@svc-runtime/engine/jobs/JobsAfterRun"
import type { Acquisition, HeldJob, JobFilter, JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Clock, Effect, Option, Struct } from "effect"
import type { MemoryDatabase, StoredJob } from "./MemoryDatabase.ts"
import { deadIn } from "./MemoryLeases.ts"

const isWaiting = ({ job }: StoredJob) => job.status === "PENDING"

const matches = ({ key, kind, owner, status }: JobFilter) => ({ job }: StoredJob) =>
  Owner.covers(owner, job.user_id) && (kind === undefined || job.kind === kind) &&
  (key === undefined || job.key === key) && (status === undefined || job.status === status)

const byTurn = (left: StoredJob, right: StoredJob) => left.turn - right.turn || left.sequence - right.sequence

const toAcquired = ({ caller, job, lease, trace }: StoredJob): Job.Acquired => {
  const { attempts, id, key, kind, max_attempts, payload, session_id, user_id } = job
  return {
    id,
    lease,
    kind,
    key,
    payload,
    attempts,
    max_attempts,
    user_id,
    caller,
    session_id,
    ...(trace === undefined ? {} : { trace: { ...trace } })
  }
}

export const make = ({ jobs: all, next, nodes }: MemoryDatabase["Service"]): JobStore["Service"] => {
  const change = (
    stored: StoredJob,
    time: number,
    job: Partial<Job.Job>,
    fields: Partial<StoredJob> = {}
  ): StoredJob => {
    const changed = { ...stored, ...fields, job: { ...stored.job, ...job, updated_at: Math.floor(time / 1000) } }
    all.set(stored.job.id, changed)
    return changed
  }

  const again = (stored: StoredJob, time: number, seconds: number, fields: Partial<Job.Job>) => {
    const notBefore = time + seconds * 1000
    const status = stored.job.is_cancel_requested ? "CANCELLED" : "PENDING"
    return change(stored, time, { ...fields, status, run_at: Math.floor(notBefore / 1000) }, { node: "", notBefore })
  }

  const waiting = (kind: string) => [...all.values()].filter((each) => isWaiting(each) && each.job.kind === kind)

  const turnOf = ({ key, kind }: Pick<Job.Job, "key" | "kind">, caller: string | null): number => {
    const others = waiting(kind)
    const turns = (among: ReadonlyArray<StoredJob>, pick: (...turns: ReadonlyArray<number>) => number, none: number) =>
      among.length === 0 ? none : pick(...among.map(({ turn }) => turn))
    const ofKey = others.filter(({ job }) => key !== null && job.key === key)
    const ofCaller = others.filter((other) => caller !== null && other.caller === caller)
    return Math.max(
      turns(others, Math.min, 0),
      turns(ofKey, Math.max, -1) + 1,
      turns(ofCaller, Math.max, -1) + 1
    )
  }

  const behind = (stored: StoredJob): StoredJob => ({
    ...stored,
    sequence: next(),
    turn: turnOf(stored.job, stored.caller)
  })

  const held = ({ id, lease }: Job.Lease): StoredJob | undefined => {
    const stored = all.get(id)
    return stored?.job.status === "RUNNING" && stored.lease === lease ? stored : undefined
  }

  const visible = (id: Job.Id, owner: Owner.Owner) =>
    Option.filter(Option.fromNullishOr(all.get(id)), ({ job }) => Owner.covers(owner, job.user_id))

  const acquireOne = (
    kind: string,
    { busy = [], node }: Acquisition,
    time: number
  ): StoredJob | undefined => {
    const callers = new Set(busy.flatMap((each) => each.kind === kind ? [each.caller] : []))
    const running = new Set(
      [...all.values()].filter(({ job }) => job.kind === kind && job.status === "RUNNING").map(({ job }) => job.key)
    )
    const [first] = waiting(kind)
      .filter(({ caller, job, notBefore }) =>
        notBefore <= time && (job.key === null || !running.has(job.key)) &&
        (caller === null || !callers.has(caller))
      )
      .sort(byTurn)
    if (first === undefined) return undefined
    const fields = { node, lease: first.lease + 1, isUnique: false }
    return change(first, time, { status: "RUNNING", attempts: first.job.attempts + 1 }, fields)
  }

  const acquire = (acquisition: Acquisition, time: number): ReadonlyArray<Job.Acquired> => {
    const acquired: Array<Job.Acquired> = []
    // workers ask each second for many kinds, and almost always nothing waits
    const kinds = new Set([...all.values()].filter(isWaiting).map(({ job }) => job.kind))
    for (const [kind, slots] of Object.entries(acquisition.slots).filter(([kind]) => kinds.has(kind))) {
      for (let free = slots; free > 0; free--) {
        const stored = acquireOne(kind, acquisition, time)
        if (stored === undefined) break
        acquired.push(toAcquired(stored))
      }
    }
    return acquired
  }

  const end = (stored: StoredJob, end: Job.End, time: number): StoredJob => {
    const { attempts, key, kind } = stored.job
    const before = Math.max(0, attempts - 1)
    switch (end._tag) {
      case "Completed":
        return change(stored, time, { status: "COMPLETED", last_error: null })
      case "Cancelled":
        return change(stored, time, { status: "CANCELLED" })
      case "Failed":
        return change(stored, time, { status: "FAILED", last_error: end.error })
      case "Retry":
        return again(stored, time, end.seconds, { last_error: end.error })
      case "Postponed":
        return end.error === undefined
          ? again(behind(stored), time, end.seconds, { attempts: before })
          : again(stored, time, end.seconds, { attempts: before, last_error: end.error })
      case "Released":
        return again(stored, time, 0, { attempts: before })
      case "Repeat": {
        const isTaken = waiting(kind).some(({ isUnique, job }) => isUnique && job.key === key)
        if (isTaken) return change(stored, time, { status: "COMPLETED", last_error: null })
        return again({ ...behind(stored), isUnique: true }, time, end.seconds, { attempts: 0, last_error: null })
      }
    }
  }

  const enqueue: JobStore["Service"]["enqueue"] = ({ caller, isUnique, run_at, trace, ...job }) =>
    Effect.map(Clock.currentTimeMillis, (time) => {
      const notBefore = run_at === undefined ? time : run_at * 1000
      const known = isUnique && job.key !== null
        ? waiting(job.kind).find((each) => each.isUnique && each.job.key === job.key)
        : undefined
      if (known !== undefined) {
        if (notBefore < known.notBefore) {
          change(known, time, { run_at: Math.floor(notBefore / 1000) }, { notBefore })
        }
        return { id: known.job.id, isNew: false }
      }
      const created_at = Math.floor(time / 1000)
      const by = caller === undefined ? job.user_id : caller
      all.set(job.id, {
        sequence: next(),
        node: "",
        lease: 0,
        isUnique: isUnique && job.key !== null,
        trace,
        caller: by,
        turn: turnOf(job, by),
        notBefore,
        job: {
          ...job,
          status: "PENDING",
          progress: null,
          attempts: 0,
          last_error: null,
          is_cancel_requested: false,
          run_at: Math.floor(notBefore / 1000),
          created_at,
          updated_at: created_at
        }
      })
      return { id: job.id, isNew: true }
    })

  const enqueueWithout = (job: Job.NewJob, statuses: ReadonlyArray<Job.Status>) =>
    Effect.suspend(() => {
      const isKnown = [...all.values()].some(({ job: { key, kind, status } }) =>
        kind === job.kind && key === job.key && statuses.includes(status)
      )
      return isKnown ? Effect.succeed(false) : Effect.as(enqueue(job), true)
    })

  return {
    enqueue,
    enqueueMissing: (job) => enqueueWithout(job, ["PENDING", "RUNNING"]),
    enqueueNext: (job) => enqueueWithout(job, ["PENDING"]),
    hasten: (kind, key) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        for (const stored of waiting(kind)) {
          if (stored.job.key !== key || stored.notBefore <= time) continue
          change(stored, time, { run_at: Math.floor(time / 1000) }, { notBefore: time })
        }
      }),
    countDue: (kinds, limit) =>
      Effect.map(Clock.currentTimeMillis, (time) =>
        new Map(kinds.map((kind) => {
          const due = waiting(kind).filter((each) => each.notBefore <= time)
          return [kind, Math.min(limit, due.length)]
        }))),
    countWaiting: (kinds, caller, limit) =>
      Effect.sync(() => Math.min(limit, kinds.flatMap(waiting).filter((each) => each.caller === caller).length)),
    find: (id, owner) => Effect.sync(() => Option.map(visible(id, owner), ({ job }) => job)),
    list: (filter, page) =>
      Effect.sync(() => {
        const found = [...all.values()].filter(matches(filter)).sort((left, right) => right.sequence - left.sequence)
        return {
          jobs: Pagination.slice(page, found).map(({ job }) => Struct.omit(job, ["payload"])),
          total: found.length
        }
      }),
    cancel: (id, owner) =>
      Effect.map(Clock.currentTimeMillis, (time) =>
        Option.map(visible(id, owner), (stored) => {
          if (Job.isEnded(stored.job.status)) return stored.job
          const status = stored.job.status === "PENDING" ? "CANCELLED" : "RUNNING"
          return change(stored, time, { status, is_cancel_requested: true }).job
        })),
    acquire: (acquisition) => Effect.map(Clock.currentTimeMillis, (time) => acquire(acquisition, time)),
    takeOver: ({ dead, executing, isSteady, node }) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        const isDead = deadIn(nodes, { dead, isSteady, node })
        const lost = [...all.values()].filter(({ job, node: holder }) =>
          job.status === "RUNNING" && (holder === node ? !executing.includes(job.id) : isDead(holder))
        )
        for (const stored of lost) {
          const { attempts, max_attempts } = stored.job
          if (attempts < max_attempts) {
            again(stored, time, Job.delayAfterLoss(attempts), { last_error: Job.nodeLost })
          } else change(stored, time, { status: "FAILED", last_error: Job.nodeLost })
        }
        return lost.length
      }),
    sync: (jobs: ReadonlyArray<HeldJob>) =>
      Effect.map(Clock.currentTimeMillis, (time) =>
        jobs.flatMap((job) => {
          const stored = held(job)
          if (stored === undefined) return []
          if (job.progress !== undefined) change(stored, time, { progress: job.progress })
          return [{ id: job.id, isCancelRequested: stored.job.is_cancel_requested }]
        })),
    progressed: (lease) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        const stored = held(lease)
        if (stored !== undefined) change(stored, time, { attempts: 0 })
      }),
    finish: (lease, how) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        const stored = held(lease)
        if (stored !== undefined) end(stored, how, time)
        return stored !== undefined
      }),
    removeOf: (user_id, kinds) =>
      Effect.sync(() => {
        const doomed = [...all.values()].filter(({ job }) =>
          job.user_id === user_id && (kinds === undefined || kinds.includes(job.kind))
        )
        for (const { job } of doomed) all.delete(job.id)
        return doomed.length
      })
  }
}

/** Stores those in memory that are not stored yet. */
export const enqueueIn = (database: MemoryDatabase["Service"]) => {
  const { enqueue } = make(database)
  return (jobs: JobsAfterRun) =>
    Effect.forEach(jobs.filter(({ id }) => !database.jobs.has(id)), enqueue, { discard: true })
}
