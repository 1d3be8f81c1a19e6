// Where the changes of runs are sent to, in all databases of a service: each config is in the database of its run, and
// so is the job that delivers.
import { ComponentDatabases, type ComponentRef } from "@svc-runtime/agents/database/ComponentDatabases"
import { firstFound } from "@svc-runtime/agents/database/firstFound"
import { type ServedDatabase, ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { JobKind } from "@svc-runtime/engine/jobs/JobKind"
import type { JobInvalid } from "@svc-runtime/engine/jobs/Jobs"
import { now } from "@svc-runtime/engine/now"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import { Context, Effect, Layer, Option } from "effect"
import { opened, sealed, type StoredTaskPush, type TaskPush, type TaskPushesFull } from "./TaskPush.ts"
import * as TaskPushJob from "./TaskPushJob.ts"

export interface Ref {
  readonly component: ComponentRef
  readonly owner: Owner.Owner
}

export class RoutedTaskPushes extends Context.Service<RoutedTaskPushes, {
  /** Stores the config and the job that delivers. None if there is no such run that the owner may see. */
  readonly put: (
    ref: Ref,
    push: TaskPush,
    kind: JobKind<TaskPushJob.TaskPushJob>
  ) => Effect.Effect<Option.Option<StoredTaskPush>, JobInvalid | StorageUnavailable | TaskPushesFull>
  readonly list: (ref: Ref, run: Run.Id) => Effect.Effect<ReadonlyArray<StoredTaskPush>, StorageUnavailable>
  readonly remove: (ref: Ref, run: Run.Id, id: string) => Effect.Effect<boolean, StorageUnavailable>
}>()("@svc-runtime/features/taskPush/RoutedTaskPushes") {
  static readonly layer: Layer.Layer<RoutedTaskPushes, never, ComponentDatabases | Secrets | ServedDatabases> = Layer
    .effect(
      RoutedTaskPushes,
      Effect.gen(function*() {
        const databases = yield* ServedDatabases
        const components = yield* ComponentDatabases
        const secrets = yield* Secrets
        /** Of one that cannot be opened, nothing but the secrets is missing. */
        const open = (push: StoredTaskPush) => Effect.orElseSucceed(opened(secrets, push), () => push)

        const find = <A, E>({ component }: Ref, look: (served: ServedDatabase) => Effect.Effect<Option.Option<A>, E>) =>
          firstFound(databases, components.candidates(component), look)

        const enqueueOrHasten = (
          { database, jobs }: ServedDatabase,
          kind: JobKind<TaskPushJob.TaskPushJob>,
          push: StoredTaskPush
        ) => Effect.andThen(TaskPushJob.enqueueOrHasten(database.jobs, kind, push), jobs.signal)

        return RoutedTaskPushes.of({
          put: Effect.fn("RoutedTaskPushes.put")(function*(ref, push, kind) {
            const [at, stored] = [yield* now, yield* sealed(secrets, push)]
            const put = yield* find(
              ref,
              (served) =>
                Effect.tap(
                  served.database.taskPushes.put(stored, ref.owner, at),
                  (stored) => Option.isSome(stored) ? enqueueOrHasten(served, kind, stored.value) : Effect.void
                )
            )
            return Option.map(put, (stored) => ({ ...stored, ...push }))
          }),
          list: (ref, run) =>
            Effect.map(
              find(ref, ({ database }) =>
                Effect.map(
                  Effect.flatMap(database.taskPushes.list(run, ref.owner), Effect.forEach(open)),
                  (found) => found.length === 0 ? Option.none() : Option.some(found)
                )),
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
