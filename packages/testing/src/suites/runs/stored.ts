// What is stored of a session and its runs, for any owner.
import { assert } from "@effect/vitest"
import { Owner, type Run, type Session } from "@svc/domain"
import { type NewRun, RunStore, SessionStore } from "@svc/runtime"
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
