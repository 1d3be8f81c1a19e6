// Where the changes of runs are sent to, in all databases of a service: each config is in the database of its run, and
// so is the job that delivers.
import type * as Owner from "@svc/domain/Owner"
import type * as Run from "@svc/domain/Run"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Context, Effect, Layer, Option } from "effect"
import type { JobKind } from "../jobs/JobKind.ts"
import type { JobInvalid } from "../jobs/Jobs.ts"
import { now } from "../now.ts"
import { jobKeyOf, type StoredTaskPush, type TaskPush, type TaskPushesFull } from "../push/TaskPush.ts"
import { ComponentDatabases, type ComponentRef } from "./ComponentDatabases.ts"
import { firstFound } from "./firstFound.ts"
import { type ServedDatabase, ServedDatabases } from "./ServedDatabases.ts"

/** What a job delivers: one config. */
export interface TaskPushJob {
  readonly run_id: Run.Id
  readonly id: string
}

interface Ref {
  readonly component: ComponentRef
  readonly owner: Owner.Owner
}

export class RoutedTaskPushes extends Context.Service<RoutedTaskPushes, {
  /** Stores the config and the job that delivers. None if there is no such run that the owner may see. */
  readonly put: (
    ref: Ref,
    push: TaskPush,
    kind: JobKind<TaskPushJob>
  ) => Effect.Effect<Option.Option<StoredTaskPush>, JobInvalid | StorageUnavailable | TaskPushesFull>
  readonly list: (ref: Ref, run: Run.Id) => Effect.Effect<ReadonlyArray<StoredTaskPush>, StorageUnavailable>
  readonly remove: (ref: Ref, run: Run.Id, id: string) => Effect.Effect<boolean, StorageUnavailable>
}>()("@svc/runtime/database/RoutedTaskPushes") {
  static readonly layer: Layer.Layer<RoutedTaskPushes, never, ComponentDatabases | ServedDatabases> = Layer.effect(
    RoutedTaskPushes,
    Effect.gen(function*() {
      const databases = yield* ServedDatabases
      const components = yield* ComponentDatabases

      const find = <A, E>({ component }: Ref, look: (served: ServedDatabase) => Effect.Effect<Option.Option<A>, E>) =>
        firstFound(databases, components.candidates(component), look)

      /** Several jobs can wait for one config: one at a time delivers, and the others find nothing new. */
      const enqueue = ({ jobs }: ServedDatabase, kind: JobKind<TaskPushJob>, push: StoredTaskPush) =>
        jobs.enqueue(kind, { run_id: push.run_id, id: push.id }, {
          key: jobKeyOf(push),
          isUnique: false,
          session_id: push.session_id
        })

      return RoutedTaskPushes.of({
        put: Effect.fn("RoutedTaskPushes.put")(function*(ref, push, kind) {
          const at = yield* now
          return yield* find(
            ref,
            (served) =>
              Effect.tap(
                served.database.taskPushes.put(push, ref.owner, at),
                (stored) => Option.isSome(stored) ? enqueue(served, kind, stored.value) : Effect.void
              )
          )
        }),
        list: (ref, run) =>
          Effect.map(
            find(ref, ({ database }) =>
              Effect.map(database.taskPushes.list(run, ref.owner), (found) =>
                found.length === 0 ? Option.none() : Option.some(found))),
            Option.getOrElse((): ReadonlyArray<StoredTaskPush> => [])
          ),
        remove: (ref, run, id) =>
          Effect.map(
            find(ref, ({ database }) =>
              Effect.map(database.taskPushes.remove(run, id, ref.owner), (isRemoved) =>
                isRemoved ? Option.some(isRemoved) : Option.none())),
            Option.isSome
          )
      })
    })
  )
}
