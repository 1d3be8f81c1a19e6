// Accepts requests, or refuses them. An accepted caller is the `CurrentPrincipal`.
import { CurrentPrincipal } from "@svc-runtime/api"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { type ByteSize, Context, Effect, Exit, References, Scope } from "effect"
import { HttpIncomingMessage, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { AccessControl, AccessDecision, Refusal } from "../authorization/AccessControl.ts"
import * as AllowedHosts from "../authorization/AllowedHosts.ts"
import { changeOf, type ChangeRecorder } from "../authorization/ChangeRecorder.ts"
import { CurrentAccess, type Findings, type StreamFraming } from "../authorization/CurrentAccess.ts"
import { isUpgrade } from "../authorization/isUpgrade.ts"
import * as Origins from "../authorization/Origins.ts"
import type { Forms } from "../forms/Forms.ts"
import * as RequestRecord from "../logging/RequestRecord.ts"
import * as RequestId from "../requests/RequestId.ts"
import { mcpPath } from "../Settings.ts"
import * as AuthorizedStream from "../sse/AuthorizedStream.ts"
import { errorResponse } from "./ErrorResponses.ts"
import * as RequestReadLimiter from "./RequestReadLimiter.ts"

/** Required by RFC 9110. Clients of MCP take it for a sign that OAuth protects the endpoint. */
const challengeOf = ({ url }: HttpServerRequest.HttpServerRequest): Record<string, string> =>
  url.split("?")[0] === mcpPath ? {} : { "www-authenticate": "Bearer" }

const refusal = (
  request: HttpServerRequest.HttpServerRequest,
  failure: Refusal
): HttpServerResponse.HttpServerResponse => {
  switch (failure._tag) {
    case "Challenged":
      return failure.response
    case "ScopesMissing":
      return errorResponse(403, "FORBIDDEN", failure.message)
    case "OriginRejected":
      return errorResponse(403, "FORBIDDEN", Origins.detail, Origins.readableBy(failure.origin))
    case "HostMissing":
      return errorResponse(400, "BAD_REQUEST", failure.message)
    case "HostRejected":
      return errorResponse(403, "FORBIDDEN", AllowedHosts.detail)
    case "TooManyAttempts":
      return errorResponse(429, "TOO_MANY_REQUESTS", failure.message)
    case "StorageUnavailable":
      return errorResponse(503, "SERVICE_UNAVAILABLE", "Authentication is temporarily unavailable")
    default:
      return errorResponse(401, "UNAUTHENTICATED", failure.message, challengeOf(request))
  }
}

/** An unavailable database does not end a stream: its events cannot be read either. */
const checkOf = (
  { verify }: AccessDecision,
  objection: NonNullable<StreamFraming["objection"]>
): AuthorizedStream.Check =>
  Effect.match(verify, {
    onFailure: (failure) =>
      failure._tag === "StorageUnavailable"
        ? undefined
        : "message" in failure
        ? failure.message
        : "the request is no longer allowed",
    onSuccess: objection
  })

const guarded = (admitted: AccessDecision & StreamFraming) => (response: HttpServerResponse.HttpServerResponse) => {
  if (admitted.isExcluded || !AuthorizedStream.isEventStream(response)) return response
  const check = Effect.suspend(() => {
    const { checked } = admitted
    admitted.checked = undefined
    return checked === undefined ? admitted.check : Effect.succeed(checked.detail)
  })
  return AuthorizedStream.authorized(response, check, (detail) => admitted.closingFrame(detail))
}

/** Requests that take longer have waited: their credential can have been revoked since. */
const waitedNanos = 1_000_000_000n

/**
 * Verifies the credential again before the response of a request that has waited. Streams of events and sockets verify
 * theirs for each event. If the database does not reply, the response is sent.
 */
const verifiedAgain =
  (request: HttpServerRequest.HttpServerRequest, { isExcluded, verify }: AccessDecision, began: bigint) =>
  (response: HttpServerResponse.HttpServerResponse): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
    Effect.clockWith((clock) =>
      isExcluded || isUpgrade(request) || response.status === 503 || AuthorizedStream.isEventStream(response) ||
        clock.monotonicTimeNanosUnsafe() - began < waitedNanos
        ? Effect.succeed(response)
        : Effect.match(verify, {
          onFailure: (failure) => failure._tag === "StorageUnavailable" ? response : refusal(request, failure),
          onSuccess: () => response
        })
    )

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

export interface Limits {
  /** For whatever reads a body without a limit of its own. */
  readonly maxBodySize: ByteSize.ByteSize
  readonly limited: Forms["Service"]["limited"]
  /** Of the responses of all requests. */
  readonly responses: RequestReadLimiter.Budgets
}

export const accessControl = (
  { authorizeRequest }: AccessControl["Service"],
  { limited, maxBodySize, responses }: Limits,
  changes?: ChangeRecorder["Service"]
) =>
<E, R>(
  app: App<E, R>
): App<E, Exclude<R, CurrentPrincipal> | HttpServerRequest.HttpServerRequest> => {
  const refuse = (request: HttpServerRequest.HttpServerRequest) => (failure: Refusal) =>
    Effect.succeed(refusal(request, failure))
  // added one by one, because merging two contexts takes time for each service
  const next = (request: HttpServerRequest.HttpServerRequest) => (admission: AccessDecision) => {
    const admitted: AccessDecision & Findings & StreamFraming = {
      ...admission,
      closingFrame: AuthorizedStream.controlFrame,
      check: checkOf(admission, (principal) => admitted.objection?.(principal)),
      checked: undefined,
      objection: undefined,
      missingScope: undefined,
      subjects: undefined
    }
    const record = RequestRecord.of(request)
    if (record !== undefined) {
      record.principal = admission.principal
      record.route = admission.path
    }
    let encoded: RequestReadLimiter.RequestReadLimiter["encoded"] = () => Effect.void
    const responded = Effect.updateContext(app, (around: Context.Context<Exclude<R, CurrentPrincipal>>) => {
      const named = record === undefined
        ? around
        : Context.add(around, References.CurrentLogAnnotations, RequestId.annotations(record.id))
      const sized = Context.add(named, HttpIncomingMessage.MaxBodySize, maxBodySize)
      const scope = Context.getUnsafe(around as Context.Context<unknown>, Scope.Scope)
      const { principal } = admitted
      const checked = limited(request, principal, scope)
      const forHandler = checked === request
        ? sized
        : Context.add(sized, HttpServerRequest.HttpServerRequest, checked)
      const limiter = RequestReadLimiter.make({ budgets: responses, request, principal, scope })
      encoded = limiter.encoded
      const known = Context.add(Context.add(forHandler, CurrentAccess, admitted), ReadLimiter.ReadLimiter, limiter)
      return Context.add(known, CurrentPrincipal, admitted.principal) as Context.Context<R>
    })
    const change = changes === undefined ? undefined : changeOf(request, admission, record?.id)
    const recorded = changes === undefined || change === undefined
      ? responded
      : changes.recorded(change, responded, () => admitted.subjects)
    return Effect.clockWith((clock) =>
      Effect.onExit(
        recorded,
        (exit) => encoded(Exit.isSuccess(exit) ? exit.value : undefined)
      ).pipe(
        Effect.flatMap(verifiedAgain(request, admission, clock.monotonicTimeNanosUnsafe())),
        Effect.map(guarded(admitted))
      )
    )
  }
  return Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => Effect.matchEffect(authorizeRequest(request), { onFailure: refuse(request), onSuccess: next(request) })
  )
}
