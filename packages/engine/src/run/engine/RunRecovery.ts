// Decides whether an acquired run is resumed. A failure affects only its own run: the run is released and retried if
// that may help, and otherwise set aside with the reason, so that the next run of its session begins.
import * as Owner from "@svc-runtime/domain/Owner"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, FiberSet, Layer, Option, Result } from "effect"
import type { Acquired } from "../../node/LeasedRuns.ts"
import * as UnreadableRow from "../../UnreadableRow.ts"
import * as ShownWords from "../events/ShownWords.ts"
import * as StoredFormat from "../journal/StoredFormat.ts"
import type { Recovery } from "../leases/LeaseAcquisition.ts"
import * as NewRun from "../NewRun.ts"
import type { Runners } from "../Runners.ts"
import { RunLeases } from "../store/RunLeases.ts"
import type { RunLifecycle } from "../store/RunLifecycle.ts"
import { RunLog } from "../store/RunLog.ts"
import type { RunSnapshot } from "../store/RunReads.ts"
import { EngineSettings } from "./EngineSettings.ts"
import { RunResume } from "./RunResume.ts"
import * as UnrecoverableRun from "./UnrecoverableRun.ts"

export class RunRecovery
  extends Context.Service<RunRecovery, Recovery>()("@svc-runtime/engine/run/engine/RunRecovery")
{
  static readonly layer: Layer.Layer<
    RunRecovery,
    never,
    EngineSettings | RunLeases | RunLifecycle | RunLog | RunResume | Runners
  > = Layer
    .effect(RunRecovery, Effect.suspend(() => make))
}

const delaySeconds = ({ postponed }: Acquired) => Math.min(60, 2 ** postponed)

/** A larger run is not read, because reading it could crash the process. */
const blindAfter = 2

const make = Effect.gen(function*() {
  const { limits: { maxRestores, maxTakeovers, unservedTimeout } } = yield* EngineSettings
  const [leases, format, ports] = [yield* RunLeases, yield* StoredFormat.StoredFormat, yield* UnrecoverableRun.ports]
  const log = yield* RunLog
  const { resume } = yield* RunResume

  /** The run can be restored later, or on another node. */
  const postpone = (acquired: Acquired, reason: string, needed?: number) => {
    const { attempt, postponed, run_id, session_id } = acquired
    const seconds = delaySeconds(acquired)
    return Effect.andThen(
      Effect.annotateLogs(
        Effect.logWarning(`A run is released and retried in ${seconds} s: ${reason}`),
        { run_id, session_id, attempt, postponed: postponed + 1 }
      ),
      leases.postpone({ run_id, attempt, seconds, format: needed })
    )
  }

  const isLastTime = ({ postponed }: Acquired) => postponed + 1 >= maxRestores

  const afterAll = ({ kind }: Acquired, reason: string) =>
    UnrecoverableRun.textOf(kind, `${reason}. This was tried ${maxRestores} times, as MAX_RESTORES allows`)

  const lost = ({ kind, takeovers }: Acquired) =>
    UnrecoverableRun.textOf(
      kind,
      `The run lost its node ${takeovers} times without finishing a step, and MAX_TAKEOVERS allows ${maxTakeovers}`
    )

  const unserved = ({ component_id, kind }: Acquired) =>
    UnrecoverableRun.textOf(
      kind,
      `No node that is alive has the ${kind} '${component_id}' and reads what is stored of the run. It waited ` +
        `${unservedTimeout} s for one, as UNSERVED_TIMEOUT allows`
    )

  /** Only of a run that was executed: one that waits has no events to follow. */
  const withLastWord = (loaded: Option.Option<RunSnapshot>) => {
    if (Option.isNone(loaded)) return Effect.succeed(loaded)
    const { eventCount, run_id, session_id, status } = loaded.value
    if (eventCount === 0 || status !== "RUNNING") return Effect.succeed(loaded)
    const lastEvent = log.readEvents(session_id, run_id, { owner: Owner.anyone }, { after: eventCount - 2, limit: 1 })
    return Effect.map(
      // no watcher gets behind an event that cannot be read, and the run needs none of its events
      UnreadableRow.orElse(lastEvent, () => Effect.succeedNone),
      (read) => {
        const last = Option.getOrUndefined(read)?.events.at(-1)
        return Option.some(
          last !== undefined && ShownWords.canBeFollowed(last) ? { ...loaded.value, lastWord: last } : loaded.value
        )
      }
    )
  }

  const resumeOrEnd = Effect.fnUntraced(function*(acquired: Acquired, stored: RunSnapshot) {
    const read = StoredFormat.read(format, stored)
    if (Result.isFailure(read)) {
      const reason =
        `It needs a service that reads the stored format ${read.failure}, and this one reads ${format.current}`
      return yield* postpone(acquired, reason, read.failure)
    }
    const snapshot = read.success
    if (acquired.takeovers > maxTakeovers) return yield* UnrecoverableRun.end(ports, snapshot, lost(acquired))
    return yield* Effect.catchTag(
      resume(snapshot, NewRun.modeOf(snapshot)),
      "NotRestored",
      ({ isTransient, reason }): Effect.Effect<unknown, StorageUnavailable> => {
        if (!isTransient) return UnrecoverableRun.end(ports, snapshot, UnrecoverableRun.textOf(acquired.kind, reason))
        return isLastTime(acquired)
          ? UnrecoverableRun.end(ports, snapshot, afterAll(acquired, reason))
          : postpone(acquired, reason)
      }
    )
  })

  const recover = Effect.fnUntraced(function*(acquired: Acquired) {
    if (acquired.isUnserved) return yield* UnrecoverableRun.setAside(ports, acquired, unserved(acquired))
    if (acquired.takeovers > maxTakeovers + blindAfter) {
      return yield* UnrecoverableRun.setAside(ports, acquired, lost(acquired))
    }
    const loaded = yield* Effect.result(Effect.flatMap(leases.load(acquired), withLastWord))
    if (Result.isSuccess(loaded)) {
      return Option.isNone(loaded.success) ? undefined : yield* resumeOrEnd(acquired, loaded.success.value)
    }
    const error = loaded.failure
    if (error._tag === "RunUnreadable") {
      return yield* UnrecoverableRun.setAside(
        ports,
        acquired,
        UnrecoverableRun.textOf(acquired.kind, `What is stored of the run cannot be read: ${error.reason}`)
      )
    }
    const reason = "The database does not give what is stored of the run"
    // a missing table, column or right is no fault of the run, however long it takes to mend
    return isLastTime(acquired) && error.isSchemaError !== true
      ? yield* UnrecoverableRun.setAside(ports, acquired, afterAll(acquired, reason))
      : yield* postpone(acquired, reason)
  })

  /** Fails only when nothing could be stored: then this node still holds the run, and has to look for it again. */
  const recoverOrSetAside: Recovery["recover"] = (acquired) =>
    Effect.catchDefect(Effect.asVoid(recover(acquired)), (defect) => {
      const { run_id, session_id } = acquired
      const reason =
        "Its component could not be restored because of an unexpected error; the log of the service has the cause"
      return Effect.annotateLogs(Effect.logError("A run could not be restored", defect), { run_id, session_id }).pipe(
        Effect.andThen(
          isLastTime(acquired)
            ? UnrecoverableRun.setAside(ports, acquired, afterAll(acquired, reason))
            : postpone(acquired, reason)
        )
      )
    })

  return RunRecovery.of({ recover: recoverOrSetAside, recovering: yield* FiberSet.make<void>() })
})
