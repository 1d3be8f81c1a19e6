// From a request to the component that answers it, in the words of the wire. What is verified about the caller goes to the
// factory as trusted; what is wrong with a factory goes to the log, under the id that the caller gets.
import { CurrentPrincipal, Errors, FactoryErrors } from "@svc/api"
import { ComponentKind, type Ids } from "@svc/domain"
import {
  type Component,
  type Factory,
  type FactoryError,
  FactoryInput,
  type FactoryPermissionError,
  type FactoryRequest,
  type FactoryResolver,
  type FactoryRun,
  factoryRun,
  type FactoryValidationError,
  isFactory,
  NewId,
  type RunSnapshot
} from "@svc/runtime"
import { Cause, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Caller from "../authorization/Caller.ts"

export interface ResolveRequest {
  /** As the caller may say them: what a token says counts for more, and has been looked at. */
  readonly user_id: Ids.UserId | undefined
  readonly session_id: string | undefined
  readonly input: FactoryInput.FactoryInput
  /** The stored run that the request is about. Left out for a new run. */
  readonly run?: FactoryRun | undefined
  /** Null where there is none. */
  readonly request: HttpServerRequest.HttpServerRequest | null
}

export interface Options {
  readonly resolver: FactoryResolver["Service"]
  /** Bytes. */
  readonly largestInput: number
}

const prefix = "factory_input "

const invalid = ({ message }: FactoryValidationError) =>
  new FactoryErrors.FactoryValidationError({
    detail: message.startsWith(prefix) ? message : `${prefix}validation failed: ${message}`,
    error_code: "BAD_REQUEST"
  })

const denied = ({ message }: FactoryPermissionError) =>
  new FactoryErrors.FactoryPermissionError({
    detail: message === "" ? "The factory refuses this request" : message,
    error_code: "FORBIDDEN"
  })

const broken = Effect.fnUntraced(function*({ cause, factory, kind, message }: FactoryError) {
  const request_id = (yield* NewId)()
  yield* Effect.annotateLogs(Effect.logError(message, Cause.die(cause)), { request_id, factory, kind })
  return yield* new FactoryErrors.FactoryError({
    detail:
      `${
        ComponentKind.descriptions[kind].label
      } factory error: ${message} (FactoryError). The log says more under request_id ` +
      `${request_id}.`,
    error_code: "INTERNAL_SERVER_ERROR",
    request_id
  })
})

const requestOf = Effect.fnUntraced(function*({ input, request, run, session_id, user_id }: ResolveRequest) {
  const { claims, grants } = yield* CurrentPrincipal
  const wanted: FactoryRequest = {
    userId: user_id ?? null,
    sessionId: session_id ?? null,
    trusted: { claims, scopes: new Set(grants?.scopes) },
    request,
    input,
    run
  }
  return wanted
})

const tooLarge = ({ input }: ResolveRequest, { largestInput }: Options) =>
  input._tag === "Text" && input.text !== undefined && input.text.length > largestInput
    ? Errors.payloadTooLarge(`factory_input is larger than ${largestInput} bytes`)
    : undefined

const translated = {
  FactoryValidationError: (error: FactoryValidationError) => Effect.fail(invalid(error)),
  FactoryPermissionError: (error: FactoryPermissionError) => Effect.fail(denied(error)),
  FactoryError: broken
}

/** What a factory has opened ends with the surrounding scope, unless a run takes it over. */
export const resolve = Effect.fnUntraced(function*<C extends Component>(
  options: Options,
  registered: C | Factory<C>,
  asked: ResolveRequest
) {
  // Whoever does not call a factory may send it what they like.
  const refused = isFactory(registered) ? tooLarge(asked, options) : undefined
  if (refused !== undefined) return yield* refused
  return yield* Effect.catchTags(
    options.resolver.resolve(registered, yield* requestOf(asked)),
    translated
  )
})

/** A request that continues a run of an agent or a team. */
export interface Continued {
  readonly run: Pick<RunSnapshot, "run_id" | "session_id" | "user_id">
  /** What the request says of the caller. */
  readonly form: Pick<ResolveRequest, "user_id" | "session_id">
  readonly request: ResolveRequest["request"]
}

/** For a run that is continued: the caller is known as when a run is created, and a factory gets no input. */
export const resolveFor = Effect.fnUntraced(function*<C extends Component>(
  options: Options,
  registered: C | Factory<C>,
  { form, request, run }: Continued
) {
  const principal = yield* CurrentPrincipal
  return yield* resolve(options, registered, {
    user_id: (yield* Caller.ownerOfNew(form.user_id)) ?? undefined,
    session_id: principal.session_id ?? form.session_id,
    request,
    input: FactoryInput.none,
    run: factoryRun(run)
  })
})
