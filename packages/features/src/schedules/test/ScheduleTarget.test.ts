// Attempts of authors who may no longer act.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import { Effect } from "effect"
import { ended, failed } from "../outcomes.ts"
import * as Schedule from "../Schedule.ts"
import { whileActive } from "../ScheduleTarget.ts"
import type { Attempt } from "../Scheduling.ts"
import { schedule } from "./ScheduleStoreSuite.ts"

const attemptOf = (run_id: string | null): Attempt => ({
  run: {
    ...Schedule.noOutcome,
    id: Schedule.RunId.make("attempt"),
    schedule_id: Schedule.Id.make("schedule"),
    attempt: 1,
    triggered_at: 1,
    completed_at: null,
    status: "running",
    created_at: 1,
    run_id,
    session_id: run_id
  },
  schedule: { ...schedule(), author: Ids.UserId.make("sa:bot") },
  seconds: 60,
  isLast: false,
  isOver: Effect.succeed(false),
  started: () => Effect.void
})

const revoked = () => Effect.succeed(false)

describe("attempts of a revoked account", () => {
  it.effect("an attempt starts nothing, and is not repeated", () =>
    Effect.gen(function*() {
      const outcome = yield* whileActive(revoked, () => Effect.die("It starts a run"))(attemptOf(null))
      assert.deepInclude(outcome, { status: "failed", run_id: null, isLast: true })
    }))

  it.effect("an attempt that was marked as the last one starts nothing, also if another account has the name now", () =>
    Effect.gen(function*() {
      const active = whileActive(() => Effect.succeed(true), () => Effect.die("It starts a run"))
      const outcome = yield* active({ ...attemptOf(null), isLast: true })
      assert.deepInclude(outcome, { status: "failed", run_id: null, isLast: true })
    }))

  it.effect("the run that an attempt has started before a crash is awaited, and its attempt keeps its id", () =>
    Effect.gen(function*() {
      const known = { run_id: "run", session_id: "run" }
      const success = yield* whileActive(revoked, () => Effect.succeed(ended({ status: "success", ...known })))(
        attemptOf("run")
      )
      assert.deepInclude(success, { status: "success", ...known })
      const failure = yield* whileActive(revoked, () => Effect.succeed(failed("It failed", known)))(attemptOf("run"))
      assert.deepInclude(failure, { status: "failed", isLast: true, ...known })
    }))
})
