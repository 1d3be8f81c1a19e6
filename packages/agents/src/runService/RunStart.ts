// Starts runs of every kind of component. A request that is repeated under its idempotency key gets the run that the
// first one started.
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as IdempotencyClaim from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { NewId } from "@svc-runtime/engine/NewId"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import type { ComponentOutdated } from "@svc-runtime/engine/run/RunErrors"
import type { RunHandle, RunRef } from "@svc-runtime/engine/run/RunHandle"
import * as SessionLimit from "@svc-runtime/engine/run/SessionLimit"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import { Effect, Option } from "effect"
import * as Caller from "./Caller.ts"
import type { ClaimedFields } from "./ClaimedFields.ts"
import * as ComponentResolution from "./ComponentResolution.ts"
import type { Components, Found } from "./Components.ts"
import { decodeSubject } from "./ContinueClaim.ts"
import * as RunIdentity from "./RunIdentity.ts"
import * as RunPermission from "./RunPermission.ts"
import * as StartCommand from "./StartCommand.ts"
import type { StartError, StartRequest } from "./StartRequest.ts"
import * as StoredRun from "./StoredRun.ts"
import type { VersionShares } from "./VersionShares.ts"

export interface Dependencies {
  readonly claimed: ClaimedFields["Service"]
  readonly scopes: RunPermission.RunScopes["Service"]
  readonly components: Components
  readonly engine: RunEngine["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly resolution: ComponentResolution.Options
  /** Undefined: no component has shares of versions. */
  readonly shares: VersionShares["Service"] | undefined
  /** The maximum number of values of JSON in a message. */
  readonly maxValues: number
}

/** The component of a new run, the request with what its credential decides, and the ids of the run. */
type Prepared = readonly [found: Found, request: StartRequest, run: RunRef]

/** The idempotency key of a request. */
interface Once {
  readonly claim?: string | undefined
  /** Frees the key. Executed when the request is refused before the engine sees it. */
  readonly release?: Effect.Effect<void> | undefined
}

export const make = (
  { claimed, components: { find, lastKnown, notFound }, engine, idempotency, maxValues, resolution, scopes, shares }:
    Dependencies
) => {
  /** A run of a component whose versions have shares gets its session first, which decides on the version. */
  const routed = Effect.fnUntraced(function*(given: StartRequest) {
    const { caller: { principal }, component, version } = given
    const versionOf = version === undefined ? shares?.of(component) : undefined
    if (versionOf === undefined) return { request: given, version }
    yield* RunPermission.check(principal, component, "start", scopes)
    const owned = yield* Caller.ownerOfNew(principal, given.user_id)
    const session_id = principal.session_id ?? given.session_id ?? (yield* NewId)()
    const request: StartRequest = principal.session_id === undefined ? { ...given, session_id } : given
    return { request, version: versionOf({ session_id, user_id: owned ?? undefined }) }
  })

  type Routed = Effect.Success<ReturnType<typeof routed>>

  const prepare = Effect.fnUntraced(function*({ request: given, version }: Routed, known?: Found) {
    const { caller, component, run_id } = given
    yield* RunPermission.check(caller.principal, component, "start", scopes)
    const found = known ?? (yield* find(component, version))
    // who may not change a component does not learn of its drafts
    if (found.component_versions?.draft !== undefined && !Caller.mayChange(caller, component)) {
      return yield* notFound(component, given.version)
    }
    const newId = yield* NewId
    const request = yield* RunIdentity.decided(given, claimed)
    const prepared: Prepared = [found, request, {
      kind: component.kind,
      run_id: Run.Id.make(run_id ?? newId()),
      session_id: Session.Id.make(request.session_id ?? newId())
    }]
    return prepared
  })

  const commandOf = Effect.fnUntraced(function*([found, request, run]: Prepared, claim: string | undefined) {
    // a factory gets the ids of the request, and not generated ones
    const { caller, factoryInput, options, session_id, user_id } = request
    const resolved = yield* ComponentResolution.resolve(resolution, found, {
      caller,
      session_id,
      user_id,
      input: factoryInput,
      metadata: RunContextOptions.requested(options)
    })
    const { run_id, session_id: session } = run
    const isolated = caller.principal.isIsolated
    const ofRun = { run_id, session_id: session, isolated, maxValues }
    const command = yield* StartCommand.make(resolved, request, ofRun)
    return { ...command, ...SessionLimit.ofCaller(caller.principal), claim }
  })

  /** With the state of the request, which the run merges into the stored one. */
  const withState = (request: StartRequest, { sessionState: stored, ...handle }: RunHandle): RunHandle =>
    stored === undefined ? handle : { ...handle, sessionState: RunIdentity.stateWith(request, stored) }

  /** What a factory opened for a run that does not start is closed here. */
  const begin = (
    prepared: Prepared,
    { claim, release = Effect.void }: Once = {}
  ): Effect.Effect<RunHandle, ComponentOutdated | StartError> =>
    Effect.interruptible(commandOf(prepared, claim)).pipe(
      Effect.onError(() => release),
      Effect.flatMap(engine.start),
      Effect.scoped,
      Effect.map((handle) => withState(prepared[1], handle))
    )

  /** The component was read for the run, so nothing of it can be outdated. */
  const beginCurrent = (prepared: Prepared, once?: Once): Effect.Effect<RunHandle, StartError> =>
    Effect.catchTag(begin(prepared, once), "ComponentOutdated", Effect.die)

  /** None if the component was changed meanwhile, or may have been: another version can take another input. */
  const beginCached = (prepared: Prepared) =>
    begin(prepared).pipe(
      Effect.asSome,
      Effect.catchTag(["ComponentOutdated", "InputTooLarge", "InvalidInput", "OptionNotOffered"], () =>
        Effect.succeedNone)
    )

  /** A run id that a client chose can be that of a run which another request has started. */
  const repeated = ([, { caller: { owner }, component, run_id }, run]: Prepared, claim: string | undefined) =>
    StoredRun.repeated(engine, run, { owner, component, startClaim: run_id === undefined ? undefined : claim })

  /** An equal request may have started the run a moment ago: both have one outcome. */
  const beginOrRepeat = (prepared: Prepared, once: Once) =>
    Effect.catchTag(beginCurrent(prepared, once), "RunExists", (error) =>
      Effect.flatMap(
        repeated(prepared, once.claim),
        Option.match({
          onNone: () => Effect.fail(error),
          onSome: (run): Effect.Effect<StoredRun.RepeatedRun | RunHandle> => Effect.succeed(run)
        })
      ))

  const start = Effect.fnUntraced(function*(request: StartRequest) {
    const chosen = yield* routed(request)
    const { version } = chosen
    const known = typeof version === "number" ? undefined : lastKnown(request.component, version)
    if (known !== undefined) {
      const begun = yield* beginCached(yield* prepare(chosen, known))
      if (Option.isSome(begun)) return begun.value
    }
    return yield* beginCurrent(yield* prepare(chosen))
  })

  /** Whether the caller may see the run that has the id of the request. */
  const isVisible = ({ caller: { owner, principal }, component, run_id, session_id }: StartRequest) => {
    const session = principal.session_id ?? session_id
    return run_id === undefined || session === undefined
      ? Effect.succeed(false)
      : Effect.map(
        engine.watch({
          run_id: Run.Id.make(run_id),
          session_id: Session.Id.make(session),
          filter: { owner, component },
          after: -1
        }),
        Option.isSome
      )
  }

  return {
    start: (request: StartRequest) =>
      request.onHiddenId !== "newId" ? start(request) : Effect.catchTag(
        start(request),
        "RunExists",
        Effect.fnUntraced(function*(error) {
          return (yield* isVisible(request)) ? yield* error : yield* start({ ...request, run_id: undefined })
        })
      ),
    startOnce: Effect.fnUntraced(
      function*(request: StartRequest, key: IdempotencyClaim.IdempotencyKey) {
        const prepared = yield* prepare(yield* routed(request))
        const [found, decided, run] = prepared
        const { run_id, session_id } = run
        const claimed = yield* IdempotencyClaim.claim(idempotency, key, { run_id, session_id, stores_claim: true })
        const release = Effect.ignore(claimed.release, { log: true })
        if (claimed.isNew) {
          return yield* Effect.tapError(
            beginOrRepeat(prepared, { claim: claimed.claim_id, release }),
            (error) => error._tag === "RunExists" ? release : Effect.void
          )
        }
        const subject = yield* Effect.orDie(decodeSubject(claimed.subject))
        const limit = request.caller.principal.session_id
        // keys name the session of a limited caller
        if (limit !== undefined && subject.session_id !== limit) {
          return yield* new IdempotencyClaim.IdempotencyKeyReused()
        }
        // an older version stores no claim with the run that it starts
        const claim = claimed.subject["stores_claim"] === true ? claimed.claim_id : undefined
        const again: Prepared = [found, decided, { ...run, ...subject }]
        const known = yield* repeated(again, claim)
        return Option.isSome(known) ? known.value : yield* beginOrRepeat(again, { claim })
      }
    )
  }
}
