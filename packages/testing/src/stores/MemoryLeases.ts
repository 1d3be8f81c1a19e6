// The part of `RunStore` in memory that says which node holds a run.
import * as Component from "@svc-runtime/domain/Component"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { type Acquired, type Deaths, type Lease, maxCountedRuns } from "@svc-runtime/engine/node/LeasedRuns"
import { journalIncomplete, kindsAfterEntry } from "@svc-runtime/engine/run/journal/JournalLoss"
import {
  componentKey,
  isContinuous,
  ofGuests,
  storedComponents,
  suspectAfter
} from "@svc-runtime/engine/run/leases/TakeoverRules"
import { RunUnreadable } from "@svc-runtime/engine/run/RunErrors"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { Clock, Effect, Option } from "effect"
import type { MemoryDatabase, StoredLease, StoredRun } from "./MemoryDatabase.ts"

const fresh: StoredLease = {
  takeovers: 0,
  takenEntries: 0,
  postponed: 0,
  notBefore: 0,
  freeSince: undefined,
  format: 1,
  aside: undefined
}

const leaseOf = ({ lease = fresh }: StoredRun): StoredLease => lease

/** With what was stored when it was set aside, as it is continued. */
export const withoutSettingAside = <A extends StoredRun | undefined>(run: A): A => {
  if (run?.lease === undefined) return run
  const { aside, format } = run.lease
  const { status } = run.output
  const output = aside === undefined ? run.output : { ...aside, status }
  return { ...run, output, lease: { ...fresh, format } }
}

const keyOf = ({ component_id, kind }: StoredRun) => componentKey({ kind, component_id })

export const hasLostEntries = ({ entries, events, hasJournalGap, lease = fresh, resumedAt = 0 }: StoredRun): boolean =>
  hasJournalGap === true || entries.length < Math.max(lease.takenEntries, resumedAt) ||
  (entries.length === 0 && events.some(({ event }) => kindsAfterEntry.includes(event)))

const isGuest = ({ node }: StoredRun): boolean => node.startsWith(ofGuests)

/** A run of a guest stays with its program. */
const released = (run: StoredRun): StoredRun => isGuest(run) ? run : { ...run, node: "" }

type Leases = Pick<
  RunStore["Service"],
  "takeOver" | "load" | "postpone" | "setAside" | "heartbeat" | "nodes" | "nodeRuns" | "release"
>

/** Whether a node counts as dead. */
export const deadIn = (
  nodes: MemoryDatabase["Service"]["nodes"],
  { dead = [], isSteady = false, node }: Deaths & { readonly node: string }
) =>
(holder: string): boolean => {
  if (holder === node) return false
  if (dead === "every") return true
  const known = nodes.get(holder)
  const isListed = dead.some((each) =>
    each.node === holder && (each.seenAt === null || each.seenAt === String(known?.seenAt))
  )
  return isListed || (isSteady && known === undefined)
}

export const make = (database: MemoryDatabase["Service"], snapshot: (run: StoredRun) => RunSnapshot): Leases => {
  const { nodes, runs } = database
  const isUnfinished = ({ output }: StoredRun) => Run.isActive(output.status)

  const held = ({ attempt, run_id }: Lease): StoredRun | undefined => {
    const stored = runs.get(run_id)
    return stored !== undefined && isUnfinished(stored) && stored.attempt === attempt ? stored : undefined
  }

  const canExecute = (listed: ReadonlyArray<string>, run: StoredRun) =>
    listed.includes(keyOf(run)) ||
    (listed.includes(storedComponents) && database.components.has(Component.Id.make(run.component_id)))

  const acquired = (run: StoredRun, holder: string, time: number, isUnserved: boolean): Acquired => {
    const { created_at, run_id, session_id, status, user_id } = run.output
    const { postponed, takeovers } = leaseOf(run)
    const known = nodes.get(holder)
    return {
      run_id,
      attempt: run.attempt,
      session_id: session_id as Acquired["session_id"],
      kind: run.kind,
      component_id: run.component_id,
      user_id: user_id ?? null,
      status,
      created_at,
      begin_id: run.begin_id ?? null,
      eventCount: run.events.length,
      takeovers,
      postponed,
      holder,
      silentFor: known === undefined ? null : (time - known.seenAt) / 1000,
      isUnserved
    }
  }

  return {
    takeOver: (
      {
        components,
        dead,
        except = [],
        format,
        guest,
        isStarting,
        isSteady,
        limit,
        node,
        only,
        suspects,
        unservedAfter
      }
    ) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        const isDead = deadIn(nodes, { dead, isSteady, node })
        const isOwn = (run: StoredRun) =>
          isStarting && run.node === node && !except.includes(run.output.run_id) &&
          (only === undefined || only.includes(run.output.run_id))
        const isFree = (run: StoredRun) =>
          isOwn(run) ||
          (guest === undefined ? run.node === "" || isDead(run.node) : run.node.startsWith(guest) && isDead(run.node))
        const isServed = (run: StoredRun) =>
          (guest !== undefined || !isGuest(run)) &&
          (components === undefined || canExecute(components, run)) &&
          (format === undefined || leaseOf(run).format <= format)
        const isServedElsewhere = (run: StoredRun) =>
          [...nodes].some(([other, { presence }]) =>
            !isDead(other) && canExecute(presence.components, run) &&
            presence.format >= leaseOf(run).format
          )
        const isUnserved = (run: StoredRun) => {
          const { freeSince } = leaseOf(run)
          return unservedAfter !== undefined && freeSince !== undefined && freeSince <= time - unservedAfter * 1000 &&
            (isGuest(run) || !isServedElsewhere(run))
        }
        const free = [...runs].filter(([, run]) => isUnfinished(run) && isFree(run))
        for (const [id, run] of free) {
          const lease = leaseOf(run)
          if (isServed(run) || lease.freeSince !== undefined) continue
          runs.set(id, { ...released(run), lease: { ...lease, freeSince: time } })
        }
        return free
          .filter(([, run]) => {
            const { notBefore, takeovers } = leaseOf(run)
            return notBefore <= time && (suspects === undefined || suspects === takeovers >= suspectAfter) &&
              (isServed(run) || isUnserved(run))
          })
          .slice(0, limit)
          .map(([id, run]) => {
            const lease = leaseOf(run)
            const known = run.entries.length > lease.takenEntries ? { ...lease, takeovers: 0, postponed: 0 } : lease
            const isLost = run.node !== "" && run.node !== node && run.output.status === "RUNNING"
            const taken: StoredRun = {
              ...run,
              node,
              attempt: run.attempt + 1,
              lease: {
                ...known,
                takeovers: known.takeovers + (isLost ? 1 : 0),
                takenEntries: Math.max(lease.takenEntries, run.entries.length),
                notBefore: 0,
                freeSince: undefined
              }
            }
            runs.set(id, taken)
            return acquired(taken, run.node, time, !isServed(run))
          })
      }),
    load: (run) =>
      Effect.suspend(() => {
        const stored = held(run)
        return stored !== undefined && hasLostEntries(stored)
          ? Effect.fail(new RunUnreadable({ run_id: run.run_id, reason: journalIncomplete }))
          : Effect.succeed(Option.map(Option.fromNullishOr(stored), snapshot))
      }),
    postpone: ({ format, seconds, ...run }) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        const stored = held(run)
        if (stored === undefined) return
        const lease = leaseOf(stored)
        runs.set(run.run_id, {
          ...released(stored),
          lease: {
            ...lease,
            postponed: lease.postponed + 1,
            notBefore: time + seconds * 1000,
            format: format ?? lease.format
          }
        })
      }),
    setAside: ({ last, output, ...run }) =>
      Effect.sync(() => {
        const stored = held(run)
        if (stored === undefined) return false
        const { aside = stored.output, ...lease } = leaseOf(stored)
        const events: ReadonlyArray<RunEvent.RunEvent> = last === undefined ? [] : [last]
        runs.set(run.run_id, {
          ...stored,
          output,
          events: [...stored.events, ...events],
          lease: { ...lease, aside }
        })
        return true
      }),
    heartbeat: (presence) =>
      Effect.map(
        Clock.currentTimeMillis,
        (seenAt) => {
          const known = nodes.get(presence.node)
          const isSteady = known !== undefined && isContinuous((seenAt - known.seenAt) / 1000, presence.maxGap)
          const steadySince = isSteady ? known.steadySince : seenAt
          nodes.set(presence.node, { seenAt, steadySince, presence: known?.presence ?? presence })
        }
      ),
    nodes: Effect.map(
      Clock.currentTimeMillis,
      (time) =>
        [...nodes].map(([node, { presence, seenAt, steadySince }]) => ({
          node,
          process: presence.process,
          seenAt: String(seenAt),
          silentFor: (time - seenAt) / 1000,
          steadyFor: (time - steadySince) / 1000
        }))
    ),
    nodeRuns: Effect.sync(() => {
      const held = [...runs.values()].filter(isUnfinished).slice(0, maxCountedRuns)
      const counts = new Map<string, number>()
      for (const { node } of held) counts.set(node, (counts.get(node) ?? 0) + 1)
      return [...counts].map(([node, runs]) => ({ node, runs }))
    }),
    release: (node) =>
      Effect.sync(() => {
        nodes.delete(node)
        for (const [id, run] of runs) if (run.node === node && isUnfinished(run)) runs.set(id, released(run))
      })
  }
}
