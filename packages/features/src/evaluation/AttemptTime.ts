// An evaluation can take longer than an attempt of its job may. So an attempt that has stored results postpones itself
// after some minutes, and the next one continues. Others get its place then.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Duration, Effect } from "effect"
import type { Limits } from "./EvaluationLimits.ts"

const turn = Duration.minutes(10)

/** Seconds until it continues: a job that waits is executed before. */
const pause = 1

/** For what has no limit of its own: the statements of a step. */
const reserve = Duration.minutes(5)

/** A judge is asked twice at most. */
const answersOfJudge = 2

/** Of an attempt: a step that begins at the end of its turn ends before. `judges` of a step. */
export const timeoutOf = ({ judgeSeconds, runSeconds }: Limits, judges: number): Duration.Duration =>
  Duration.sum(Duration.sum(turn, reserve), Duration.seconds(runSeconds + judges * answersOfJudge * judgeSeconds))

/** Of an attempt that begins now: whether its turn is over. It is postponed then, and must return. */
export const start = ({ postpone }: JobKind.JobContext) =>
  Effect.map(Monotonic.millis, (began) =>
    Effect.gen(function*() {
      const isOver = (yield* Monotonic.millis) - began >= Duration.toMillis(turn)
      if (isOver) yield* postpone(pause)
      return isOver
    }))
