// Decides whether an acquired run is resumed. A failure affects only its own run: the run is released and retried if
// that may help, and otherwise set aside with the reason, so that the next run of its session begins.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Option, Result } from "effect"
import type { Acquired } from "../../node/LeasedRuns.ts"
import * as StoredFormat from "../journal/StoredFormat.ts"
import type { NotRestored } from "../Runners.ts"
import type { RunLeases } from "../store/RunLeases.ts"
import type { RunLifecycle } from "../store/RunLifecycle.ts"
import type { RunSnapshot } from "../store/RunReads.ts"
import * as UnrecoverableRun from "./UnrecoverableRun.ts"

export interface Limits {
  /** How often a run may lose its node without finishing a step. */
  readonly maxTakeovers: number
  /** How often a run that cannot be restored is released and retried. */
  readonly maxRestores: number
  /** Seconds that a run waits for a node that can execute it. */
  readonly unservedTimeout: number
}

export const defaultLimits: Limits = { maxTakeovers: 5, maxRestores: 10, unservedTimeout: 600 }

export interface Options {
  readonly runs: RunLeases["Service"] & RunLifecycle["Service"]
  readonly limits: Limits
  readonly format: StoredFormat.Format
  readonly resume: (snapshot: RunSnapshot) => Effect.Effect<unknown, NotRestored | StorageUnavailable>
}

const sentence = (reason: string) => `${reason}. Continue the run to try again.`

const delaySeconds = ({ postponed }: Acquired) => Math.min(60, 2 ** postponed)

/** A larger run is not read, because reading it could crash the process. */
const blindAfter = 2

export const make = ({ format, resume, limits, runs }: Options) => {
  const { maxRestores, maxTakeovers, unservedTimeout } = limits

  /** The run can be restored later, or on another node. */
  const postpone = (acquired: Acquired, reason: string, needed?: number) => {
    const { attempt, postponed, run_id, session_id } = acquired
    const seconds = delaySeconds(acquired)
    return Effect.andThen(
      Effect.annotateLogs(
        Effect.logWarning(`A run is released and retried in ${seconds} s: ${reason}`),
        { run_id, session_id, attempt, postponed: postponed + 1 }
      ),
      runs.postpone({ run_id, attempt, seconds, format: needed })
    )
  }

  const isLastTime = ({ postponed }: Acquired) => postponed + 1 >= maxRestores

  const afterAll = (reason: string) =>
    sentence(`${reason}. This was tried ${maxRestores} times, as MAX_RESTORES allows`)

  const lost = ({ takeovers }: Acquired) =>
    sentence(
      `The run lost its node ${takeovers} times without finishing a step, and MAX_TAKEOVERS allows ${maxTakeovers}`
    )

  const unserved = ({ component_id, kind }: Acquired) =>
    sentence(
      `No node that is alive has the ${kind} '${component_id}' and reads what is stored of the run. It waited ` +
        `${unservedTimeout} s for one, as UNSERVED_TIMEOUT allows`
    )

  const resumeOrEnd = Effect.fnUntraced(function*(acquired: Acquired, stored: RunSnapshot, isRefused: boolean) {
    const read = StoredFormat.read(format, stored)
    if (Result.isFailure(read)) {
      const reason =
        `It needs a service that reads the stored format ${read.failure}, and this one reads ${format.current}`
      return yield* postpone(acquired, reason, read.failure)
    }
    const snapshot = read.success
    if (acquired.takeovers > maxTakeovers) return yield* UnrecoverableRun.end(runs, snapshot, lost(acquired))
    const isCancelRequested = snapshot.isCancelRequested || isRefused
    return yield* Effect.catchTag(
      resume({ ...snapshot, isCancelRequested }),
      "NotRestored",
      ({ isTransient, reason }): Effect.Effect<unknown, StorageUnavailable> => {
        if (!isTransient) return UnrecoverableRun.end(runs, snapshot, sentence(reason))
        return isLastTime(acquired)
          ? UnrecoverableRun.end(runs, snapshot, afterAll(reason))
          : postpone(acquired, reason)
      }
    )
  })

  const recover = Effect.fnUntraced(function*(acquired: Acquired, isRefused: boolean) {
    if (acquired.isUnserved) return yield* UnrecoverableRun.setAside(runs, acquired, unserved(acquired))
    if (acquired.takeovers > maxTakeovers + blindAfter) {
      return yield* UnrecoverableRun.setAside(runs, acquired, lost(acquired))
    }
    const loaded = yield* Effect.result(runs.load(acquired))
    if (Result.isSuccess(loaded)) {
      return Option.isNone(loaded.success) ? undefined : yield* resumeOrEnd(acquired, loaded.success.value, isRefused)
    }
    const error = loaded.failure
    if (error._tag === "RunUnreadable") {
      return yield* UnrecoverableRun.setAside(
        runs,
        acquired,
        sentence(`What is stored of the run cannot be read: ${error.reason}`)
      )
    }
    const reason = "The database does not give what is stored of the run"
    // a missing table, column or right is no fault of the run, however long it takes to mend
    return isLastTime(acquired) && error.isSchemaError !== true
      ? yield* UnrecoverableRun.setAside(runs, acquired, afterAll(reason))
      : yield* postpone(acquired, reason)
  })

  /**
   * Fails only when nothing could be stored about the run: then this node still holds it, and has to look for it again.
   */
  return (acquired: Acquired, isRefused: boolean): Effect.Effect<void, StorageUnavailable> =>
    Effect.catchDefect(Effect.asVoid(recover(acquired, isRefused)), (defect) => {
      const { run_id, session_id } = acquired
      const reason =
        "Its component could not be restored because of an unexpected error; the log of the service has the cause"
      return Effect.annotateLogs(Effect.logError("A run could not be restored", defect), { run_id, session_id }).pipe(
        Effect.andThen(
          isLastTime(acquired)
            ? UnrecoverableRun.setAside(runs, acquired, afterAll(reason))
            : postpone(acquired, reason)
        )
      )
    })
}
