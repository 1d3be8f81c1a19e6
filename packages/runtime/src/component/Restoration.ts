// Makes the command that resumes a stored run, for one kind of component.
import { Cause, Effect, Option } from "effect"
import type { Component } from "../factory/Factory.ts"
import { factoryRun, untrusted } from "../factory/FactoryContext.ts"
import { type FactoryFailure, FactoryPermissionError, FactoryValidationError } from "../factory/FactoryErrors.ts"
import * as FactoryInput from "../factory/FactoryInput.ts"
import type { FactoryResolver } from "../factory/FactoryResolver.ts"
import { NotRestored, type RunMode } from "../run/Runners.ts"
import type { RunSnapshot } from "../run/RunReads.ts"
import type { RunRequest } from "../run/RunRequest.ts"
import type { ComponentModule } from "./ComponentModule.ts"
import type { Registrations } from "./Registrations.ts"

/** A factory that rejects a build without a caller always does so; one that fails may succeed later. */
const notBuilt = ({ component_id, kind }: RunSnapshot, error: FactoryFailure) => {
  const isRejection = error instanceof FactoryPermissionError || error instanceof FactoryValidationError
  const does = isRejection ? "refuses to make" : "failed to make"
  return new NotRestored({ isPassing: !isRejection, reason: `The ${kind} factory '${component_id}' ${does} it again` })
}

const unreadable = ({ kind }: RunSnapshot) =>
  Effect.fail(
    new NotRestored({
      isPassing: false,
      reason: `What is stored of it does not have the form that this version reads for a run of this ${kind}`
    })
  )

/** The registered component, or the one that its factory builds without a caller. */
const resolveAgain = Effect.fnUntraced(
  function*<C extends Component, E>(
    { find }: Registrations<C, E>,
    resolver: FactoryResolver["Service"],
    run: RunSnapshot
  ) {
    const { component_id, kind, session_id, user_id } = run
    const found = yield* Effect.mapError(
      find(component_id as C["id"]),
      () => new NotRestored({ isPassing: true, reason: `This node has no ${kind} '${component_id}'` })
    )
    const resolved = resolver.resolve(found, {
      userId: user_id,
      sessionId: session_id,
      trusted: untrusted,
      request: null,
      run: factoryRun(run),
      input: FactoryInput.ofRun(run)
    })
    return yield* Effect.mapError(resolved, (error) => notBuilt(run, error))
  },
  (resolved, _, __, { kind, run_id }) =>
    Effect.tapError(
      resolved,
      (error) =>
        Effect.annotateLogs(Effect.logError(`A run cannot be resumed without its ${kind}`, Cause.fail(error)), {
          run_id
        })
    )
)

export const make = <C extends Component, Command extends RunRequest, E, R>(
  { checkJournal, decode, isComponent }: ComponentModule<C, Command, E, R, unknown, unknown>,
  registry: Registrations<C, E>,
  resolver: FactoryResolver["Service"]
) =>
  Effect.fnUntraced(function*(run: RunSnapshot, { resolved, ...mode }: RunMode) {
    const { component, lifetime } = resolved === undefined
      ? yield* resolveAgain(registry, resolver, run)
      : isComponent(resolved.component)
      ? { ...resolved, component: resolved.component }
      : yield* unreadable(run)
    yield* Effect.catchTag(checkJournal(run.entries), "SchemaError", () => unreadable(run))
    const decoded = decode(component, run)
    if (Option.isNone(decoded)) return yield* unreadable(run)
    // from here on the run closes the resources of its factory
    if (resolved === undefined) lifetime?.handOver()
    return { ...decoded.value, ...mode, lifetime } as unknown as RunRequest
  }, Effect.scoped)
