// Makes the command that resumes a stored run, for one kind of component.
import type * as Stored from "@svc-runtime/domain/Component"
import * as NewRun from "@svc-runtime/engine/run/NewRun"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import { NotRestored, type RunMode } from "@svc-runtime/engine/run/Runners"
import * as SessionLimit from "@svc-runtime/engine/run/SessionLimit"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import { Cause, Effect, Option } from "effect"
import type { Component } from "../factory/Factory.ts"
import { factoryRun, untrusted } from "../factory/FactoryContext.ts"
import { type FactoryFailure, FactoryPermissionError, FactoryValidationError } from "../factory/FactoryErrors.ts"
import * as FactoryInput from "../factory/FactoryInput.ts"
import type { FactoryResolver } from "../factory/FactoryResolver.ts"
import type { ComponentModule } from "./ComponentModule.ts"
import type { Registrations } from "./Registrations.ts"
import { type ComponentVersions, versionsOf } from "./StoredComponents.ts"

/** A factory that rejects a build without a caller always does so; one that fails may succeed later. */
const notBuilt = ({ component_id, kind }: RunSnapshot, error: FactoryFailure) => {
  const isRejection = error instanceof FactoryPermissionError || error instanceof FactoryValidationError
  const does = isRejection ? "refuses to make" : "failed to make"
  return new NotRestored({
    isTransient: !isRejection,
    reason: `The ${kind} factory '${component_id}' ${does} it again`
  })
}

const unreadable = ({ kind }: RunSnapshot) =>
  Effect.fail(
    new NotRestored({
      isTransient: false,
      reason: `What is stored of it does not have the form that this version reads for a run of this ${kind}`
    })
  )

interface Sources<C extends Component, E> {
  readonly isComponent: (value: unknown) => value is C
  readonly registry: Registrations<C, E>
  readonly resolver: FactoryResolver["Service"]
  readonly stored: ComponentVersions | undefined
}

const transient = (reason: string) => new NotRestored({ isTransient: true, reason })

/** The stored component in the versions with which the run began. */
const storedAgain = Effect.fnUntraced(
  function*(stored: ComponentVersions, versions: Stored.Versions, { component_id: id, kind }: RunSnapshot) {
    const found = yield* stored.again({ id, kind }, versions)
    if (Option.isSome(found)) return found.value.component
    return yield* transient(`There is no stored ${kind} '${id}'`)
  },
  Effect.catchTags({
    ComponentUnusable: ({ message }) => Effect.fail(transient(message)),
    StorageUnavailable: () => Effect.fail(transient("The database does not give its component"))
  })
)

/** The registered component, or the one that its factory builds without a caller. */
const resolveAgain = Effect.fnUntraced(
  function*<C extends Component, E>(
    { isComponent, registry: { find }, resolver, stored }: Sources<C, E>,
    run: RunSnapshot
  ) {
    const { component_id, kind, session_id, user_id } = run
    const versions = versionsOf(run)
    if (stored !== undefined && Option.isSome(versions)) {
      const component = yield* storedAgain(stored, versions.value, run)
      return {
        component: yield* isComponent(component) ? Effect.succeed(component) : unreadable(run),
        lifetime: undefined
      }
    }
    const found = yield* Effect.mapError(
      find(component_id as C["id"]),
      () => new NotRestored({ isTransient: true, reason: `This node has no ${kind} '${component_id}'` })
    )
    const resolved = resolver.resolve(found, {
      userId: user_id,
      sessionId: session_id,
      trusted: untrusted,
      request: null,
      metadata: RunContextOptions.stored(run),
      run: factoryRun(run),
      input: FactoryInput.ofRun(run)
    })
    return yield* Effect.mapError(resolved, (error) => notBuilt(run, error))
  },
  (resolved, _, { kind, run_id }) =>
    Effect.tapError(
      resolved,
      (error) =>
        Effect.annotateLogs(Effect.logError(`A run cannot be resumed without its ${kind}`, Cause.fail(error)), {
          run_id
        })
    )
)

export const make = <C extends Component, Command extends RunCommand, E, R, P>(
  { checkJournal, decode, isComponent }: ComponentModule<C, Command, E, R, unknown, unknown, P>,
  sources: Omit<Sources<C, E>, "isComponent">
) =>
  Effect.fnUntraced(function*(run: RunSnapshot, { resolved, ...mode }: RunMode) {
    const { component, lifetime } = resolved === undefined
      ? yield* resolveAgain({ ...sources, isComponent }, run)
      : isComponent(resolved.component)
      ? { ...resolved, component: resolved.component }
      : yield* unreadable(run)
    yield* Effect.catchTag(checkJournal(run.entries), "SchemaError", () => unreadable(run))
    const decoded = decode(component, run)
    if (Option.isNone(decoded)) return yield* unreadable(run)
    // from here on the run closes the resources of its factory
    if (resolved === undefined) lifetime?.handOver()
    return {
      ...decoded.value,
      ...SessionLimit.ofRun(run),
      evaluation: NewRun.isEvaluation(run),
      ...mode,
      lifetime
    }
  }, Effect.scoped)
