// What is stored of a session and its runs, for any owner.
import { assert } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"

export const findSession = (id: Session.Id) =>
  SessionStore.use((store) => store.find(id, Owner.anyone)).pipe(Effect.map(Option.getOrUndefined))

export const runsOf = (id: Session.Id) =>
  RunStore.use((store) => store.list(id, { owner: Owner.anyone })).pipe(
    Effect.map(Option.getOrElse((): ReadonlyArray<Run.Output> => [])),
    Effect.map((runs) => runs.map(({ run_id }) => run_id))
  )

/** Why a run was refused; nothing of it may have been stored. */
export const refusalOf = Effect.fnUntraced(function*(refused: NewRun) {
  const before = [yield* findSession(refused.session_id), yield* runsOf(refused.session_id)]
  const error = yield* Effect.flip(RunStore.use((store) => store.create(refused)))
  assert.deepStrictEqual([yield* findSession(refused.session_id), yield* runsOf(refused.session_id)], before)
  return error._tag
})
