// `POST /v1/chat/completions`. Requests share no session, unless they name a conversation.
import * as Caller from "@svc-runtime/agents/runService/Caller"
import type { Scoped } from "@svc-runtime/agents/runService/VisibleRuns"
import type * as Json from "@svc-runtime/domain/Json"
import type { IdempotencyKey } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import * as Completion from "@svc-runtime/protocols/openai/Completion"
import * as CompletionRequest from "@svc-runtime/protocols/openai/CompletionRequest"
import * as CompletionStream from "@svc-runtime/protocols/openai/CompletionStream"
import * as OpaqueId from "@svc-runtime/protocols/openai/OpaqueId"
import * as RequestFields from "@svc-runtime/protocols/openai/RequestFields"
import { Effect } from "effect"
import * as AnsweredCalls from "./AnsweredCalls.ts"
import { badRequest, noModel } from "./openAiErrors.ts"
import * as OpenAiRuns from "./OpenAiRuns.ts"
import type { Services } from "./Services.ts"

const decode = OpenAiRuns.decoder(CompletionRequest.CompletionRequest, RequestFields.completion)

type Request = CompletionRequest.CompletionRequest

/** The run that waits for the calls, by their ids or by the conversation. Undefined if the request has the calls. */
const addressOf = Effect.fnUntraced(function*(
  { service }: Services,
  scoped: Scoped,
  request: Request,
  { message, results }: CompletionRequest.Answers
) {
  const addresses = results.map(({ id }) => OpaqueId.readCall(id))
  const [first] = addresses
  if (first !== undefined) {
    if (!addresses.every((each) => each?.run_id === first.run_id)) {
      if (message !== undefined || CompletionRequest.hasCallsOf(request, results)) return undefined
      return yield* badRequest("The results at the end are of calls of one run")
    }
    return { run_id: first.run_id, session_id: first.session_id }
  }
  const conversation = yield* OpenAiRuns.conversationOf(scoped.caller, request)
  const calls = results.map(({ id }) => id)
  const run = conversation === undefined
    ? undefined
    : yield* AnsweredCalls.waitingFor(service, scoped, conversation, calls)
  if (run === undefined && CompletionRequest.hasCallsOf(request, results)) return undefined
  if (run === undefined) return yield* AnsweredCalls.noneWaits(calls.at(-1) ?? "")
  return { run_id: run.run_id, session_id: run.session_id }
})

const start = Effect.fnUntraced(function*(
  { asking, limit, service }: Services,
  scoped: Scoped,
  request: Request,
  given: Partial<OpenAiRuns.Starting> = {}
) {
  const run_id = (yield* NewId)()
  const conversation = yield* OpenAiRuns.conversationOf(scoped.caller, request)
  return yield* OpenAiRuns.start(service, scoped, {
    input: CompletionRequest.inputOf(request),
    tools: CompletionRequest.toolsOf(request),
    known: { asking, own: CompletionRequest.ownOf(request) },
    schema: CompletionRequest.schemaOf(request),
    user: request.user,
    run_id,
    session_id: conversation ?? run_id,
    showsHistory: false,
    limit,
    ...given
  })
})

const answer = Effect.fnUntraced(
  function*(
    services: Services,
    scoped: Scoped,
    request: Request,
    answers: CompletionRequest.Answers
  ) {
    const { message, results } = answers
    const address = yield* addressOf(services, scoped, request, answers)
    if (address === undefined) return yield* start(services, scoped, request)
    const isWhole = CompletionRequest.inputOf(request) !== undefined && CompletionRequest.hasCallsOf(request, results)
    const whole = (key?: IdempotencyKey) => start(services, scoped, request, { key })
    return yield* AnsweredCalls.answer(services.service, scoped, address, {
      call: results.at(-1)?.id ?? "",
      results: results.map(({ id, ...result }) => ({ ...result, toolCallId: OpaqueId.readCall(id)?.toolCallId ?? id })),
      message,
      user: request.user,
      context: isWhole ? whole() : undefined,
      whole: isWhole ? whole : undefined,
      beside: (input, key) => start(services, scoped, request, { input, key })
    })
  }
)

export const create = (services: Services, authenticated: Caller.Caller) =>
  Effect.fnUntraced(function*(body: Json.Value) {
    const request = CompletionRequest.settled(yield* decode(body))
    const { model, stream, stream_options, user } = request
    const caller = yield* toWire(Caller.actingFor(authenticated, user))
    const component = yield* services.components.find(model)
    if (component === undefined) return yield* noModel(model)
    const scoped = { component, caller }
    const answers = CompletionRequest.answersOf(request)
    const run: OpenAiRuns.Answered = yield* answers.results.length > 0
      ? answer(services, scoped, request, answers)
      : start(services, scoped, request)
    const { counted, from } = run
    const { paused, push, text } = Completion.shown()
    return yield* OpenAiRuns.respond(run, {
      stream: stream ?? false,
      encoder: CompletionStream.make({
        ...run.run,
        from,
        model,
        created: yield* now,
        includesUsage: stream_options?.include_usage ?? false
      }),
      whole: {
        push,
        isPaused: () => paused() !== undefined,
        toObject: (output) => Completion.of(output, { model, from, counted, paused: paused(), text: text() })
      }
    })
  })
