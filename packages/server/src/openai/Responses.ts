// `POST /v1/responses`. A request with `previous_response_id` comes after that response in its session, or continues
// its run if this waits for outputs of functions.
import * as Caller from "@svc-runtime/agents/runService/Caller"
import type { Scoped } from "@svc-runtime/agents/runService/VisibleRuns"
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { IdempotencyKey } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { toWire, toWireError } from "@svc-runtime/http/wire/runErrors"
import * as OpaqueId from "@svc-runtime/protocols/openai/OpaqueId"
import * as RequestFields from "@svc-runtime/protocols/openai/RequestFields"
import * as ResponseObject from "@svc-runtime/protocols/openai/ResponseObject"
import * as ResponseOrigin from "@svc-runtime/protocols/openai/ResponseOrigin"
import * as ResponseRequest from "@svc-runtime/protocols/openai/ResponseRequest"
import * as ResponseStream from "@svc-runtime/protocols/openai/ResponseStream"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as AnsweredCalls from "./AnsweredCalls.ts"
import * as ItemReferences from "./ItemReferences.ts"
import { badRequest, noModel, notFound } from "./openAiErrors.ts"
import * as OpenAiRuns from "./OpenAiRuns.ts"
import type { Services } from "./Services.ts"

const decode = OpenAiRuns.decoder(ResponseRequest.ResponseRequest, RequestFields.response)

type Request = ResponseRequest.ResponseRequest

const isGiven = (field: unknown): boolean => field !== undefined && field !== null

const bothNamed = badRequest(
  "`conversation` and `previous_response_id` name a session each: send one of them",
  "mutually_exclusive_parameters"
)

const reserved = badRequest(`The key '${ResponseOrigin.key}' of \`metadata\` is the service's own`)

const unknown = (id: string) => notFound("previous_response_not_found", `Previous response with id '${id}' not found.`)

/** Where the previous response is. Undefined without one. */
const previousOf = Effect.fnUntraced(
  function*({ service }: Services, scoped: Scoped, { previous_response_id: id }: Request) {
    if (id === undefined || id === null) return undefined
    const address = OpaqueId.readResponse(id)
    if (address === undefined) return yield* unknown(id)
    const run_id = Run.Id.make(address.run_id)
    const session_id = Session.Id.make(address.session_id)
    yield* Effect.catchTag(
      service.get({ ...scoped, partOf: "start", run_id, session_id }),
      "RunNotFound",
      () => Effect.fail(unknown(id))
    ).pipe(Effect.catchIf((error) => error._tag !== "OpenAiFailed", toWireError))
    return address
  }
)

const start = Effect.fnUntraced(function*(
  { asking, limit, service }: Services,
  scoped: Scoped,
  request: Request,
  previous: OpaqueId.RunAddress | undefined,
  given: Partial<OpenAiRuns.Starting> = {}
) {
  const run_id = (yield* NewId)()
  const conversation = yield* OpenAiRuns.conversationOf(scoped.caller, request)
  return yield* OpenAiRuns.start(service, scoped, {
    input: ResponseRequest.inputOf(request),
    tools: ResponseRequest.toolsOf(request),
    known: { asking, own: ResponseRequest.ownOf(request) },
    schema: ResponseRequest.schemaOf(request),
    user: request.user,
    run_id,
    session_id: previous?.session_id ?? conversation ?? run_id,
    previous_run_id: previous?.run_id,
    showsHistory: previous !== undefined || conversation !== undefined,
    metadata: ResponseOrigin.begun(request),
    background: request.background ?? false,
    limit,
    ...given
  })
})

const answer = Effect.fnUntraced(function*(
  services: Services,
  scoped: Scoped,
  request: Request,
  previous: OpaqueId.RunAddress | undefined,
  { message, results }: ResponseRequest.Answers
) {
  const { service } = services
  const calls = results.map(({ id, ...result }) => {
    const call = OpaqueId.readCall(id)
    return { ...result, call, toolCallId: call?.toolCallId ?? id }
  })
  const conversation = yield* OpenAiRuns.conversationOf(scoped.caller, request)
  const address = previous ?? calls.at(-1)?.call ??
    (conversation === undefined
      ? undefined
      : yield* AnsweredCalls.waitingFor(service, scoped, conversation, calls.map(({ toolCallId }) => toolCallId)))
  const hasCalls = ResponseRequest.hasCallsOf(request, results)
  if (address === undefined) {
    return yield* hasCalls
      ? start(services, scoped, request, undefined)
      : badRequest("Outputs of functions need their calls, or the `previous_response_id` of the response with them")
  }
  const { run_id, session_id } = address
  // they come with their calls, and none of them is of the previous response
  const areOthers = previous !== undefined && hasCalls && calls.every(({ call }) => call?.run_id !== run_id)
  if (areOthers) return yield* start(services, scoped, request, previous)
  const isComplete = previous === undefined && hasCalls && ResponseRequest.inputOf(request) !== undefined
  const whole = (key?: IdempotencyKey) => start(services, scoped, request, undefined, { key })
  return yield* AnsweredCalls.answer(service, scoped, address, {
    call: results.at(-1)?.id ?? "",
    results: calls.filter(({ call }) => call === undefined || call.run_id === run_id),
    message,
    user: request.user,
    context: isComplete ? whole() : undefined,
    // the session shows the calls of the run
    whole: isComplete && conversation === undefined ? whole : undefined,
    beside: (input, key) =>
      start(services, scoped, request, undefined, {
        key,
        input: { ...input, earlier: ResponseRequest.instructionsOf(request) },
        session_id,
        place: { known: [{ run_id: Run.Id.make(run_id), isBefore: true }], otherwise: "leaf" },
        showsHistory: true
      })
  })
})

export const create = (services: Services, authenticated: Caller.Caller) =>
  Effect.fnUntraced(function*(body: Json.Value) {
    const given = yield* decode(body)
    const { conversation, instructions, model, previous_response_id, user } = given
    const caller = yield* toWire(Caller.actingFor(authenticated, user))
    if (isGiven(conversation) && isGiven(previous_response_id)) return yield* bothNamed
    if (ResponseOrigin.isReserved(given)) return yield* reserved
    const [background, stream] = [given.background ?? false, given.stream ?? false]
    const component = yield* services.components.find(model)
    if (component === undefined) return yield* noModel(model)
    const scoped = { component, caller }
    const request = ResponseRequest.settled(yield* ItemReferences.resolved(services, caller, given))
    const previous = yield* previousOf(services, scoped, request)
    const answers = ResponseRequest.answersOf(request, previous !== undefined)
    const run: OpenAiRuns.Answered = yield* answers.results.length > 0
      ? answer(services, scoped, request, previous, answers)
      : start(services, scoped, request, previous)
    const described: ResponseObject.Described = {
      ...run.run,
      from: run.from,
      model,
      created: yield* now,
      previous: previous_response_id ?? null,
      instructions: instructions ?? null,
      metadata: ResponseRequest.metadataOf(request),
      background
    }
    if (background && !stream) {
      return HttpServerResponse.jsonUnsafe(ResponseObject.make(described, { status: "in_progress", output: [] }))
    }
    const encoder = ResponseStream.make(described)
    return yield* OpenAiRuns.respond(run, {
      background,
      stream,
      encoder,
      whole: {
        push: encoder.push,
        isPaused: () => encoder.shown().isPaused,
        toObject: (output) => ResponseObject.of(output, described, encoder.shown())
      }
    })
  })
