// `GET /v1/responses/{response_id}` and `POST …/cancel`: the run of a response, whose id names it and its model.
import type { Caller } from "@svc-runtime/agents/runService/Caller"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type { RunQuery } from "@svc-runtime/agents/runService/VisibleRuns"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import * as InputItems from "@svc-runtime/protocols/openai/InputItems"
import * as OpaqueId from "@svc-runtime/protocols/openai/OpaqueId"
import * as ResponseObject from "@svc-runtime/protocols/openai/ResponseObject"
import * as ResponseOrigin from "@svc-runtime/protocols/openai/ResponseOrigin"
import * as ResponseStream from "@svc-runtime/protocols/openai/ResponseStream"
import { Effect, Stream } from "effect"
import * as PieceStream from "../protocols/PieceStream.ts"
import * as RunReplay from "../protocols/RunReplay.ts"
import { notFound } from "./openAiErrors.ts"
import * as OpenAiRuns from "./OpenAiRuns.ts"
import type { Services } from "./Services.ts"

const unknown = (id: string) => notFound("response_not_found", `Response with id '${id}' not found.`)

const addressed = Effect.fnUntraced(function*({ components }: Services, caller: Caller, id: string) {
  const address = OpaqueId.readResponse(id) ?? (yield* unknown(id))
  const { model = "", run_id, session_id } = address
  const component = model === "" ? undefined : yield* components.find(model)
  if (component === undefined) return yield* unknown(id)
  const query: RunQuery = { caller, component, run_id: Run.Id.make(run_id), session_id: Session.Id.make(session_id) }
  return { address, query }
})

const describedOf = (run: AnyRun.Output, address: OpaqueId.ResponseAddress): ResponseObject.Described => {
  const { instructions = null, previous_response_id = null } = ResponseOrigin.of(run.metadata)
  return {
    ...address,
    model: address.model ?? "",
    created: run.created_at,
    previous: previous_response_id,
    instructions,
    metadata: ResponseOrigin.without(run.metadata)
  }
}

const hasPaused = (run: AnyRun.Output): boolean =>
  (AnyRun.isWorkflow(run) ? [run.step_requirements, run.error_requirements] : [run.requirements])
    .some((waiting = []) => waiting.length > 0)

/** Of an active run only those until now: another response can have begun. */
const eventsOf = Effect.fnUntraced(
  function*(service: RunService["Service"], query: RunQuery, run: AnyRun.Output, from: number) {
    if (!Run.isActive(run.status)) {
      return (yield* toWire(RunReplay.eventsOf(service, { ...query, partOf: "get" }, run, from - 1))).events
    }
    if (!hasPaused(run)) return Stream.empty
    const { count, events } = yield* toWire(service.watch({ ...query, partOf: "get", after: from - 1 }))
    return Stream.take(events, Math.max(0, count - from))
  }
)

const objectOf = Effect.fnUntraced(function*(
  { service }: Services,
  query: RunQuery,
  run: AnyRun.Output,
  address: OpaqueId.ResponseAddress
) {
  const encoder = ResponseStream.make(describedOf(run, address))
  const { from = 0, run_id } = address
  yield* toWire(OpenAiRuns.pushAll(run_id, yield* eventsOf(service, query, run, from), encoder.push))
  return ResponseObject.of(run, describedOf(run, address), encoder.shown())
})

export interface Reading {
  readonly id: string
  readonly stream: boolean
  /** The number of the last event that the client has. */
  readonly after: number
}

const runOf = ({ service }: Services, query: RunQuery, id: string) =>
  Effect.catchTag(toWire(service.get(query)), "NotFound", () => Effect.fail(unknown(id)))

/** The message of the user. Earlier items of the input are context, and are not kept. */
export const inputItems = Effect.fnUntraced(function*(
  services: Services,
  caller: Caller,
  { after, id }: { readonly id: string; readonly after: string | undefined }
) {
  const { address, query } = yield* addressed(services, caller, id)
  return JsonResponse.of(InputItems.of(yield* runOf(services, query, id), address, after))
})

export const read = Effect.fnUntraced(function*(services: Services, caller: Caller, { after, id, stream }: Reading) {
  const { address, query } = yield* addressed(services, caller, id)
  const { from = 0 } = address
  const { service } = services
  if (!stream) {
    const run = yield* runOf(services, query, id)
    return JsonResponse.of(yield* objectOf(services, query, run, address))
  }
  const { events, run } = yield* Effect.catchTag(
    toWire(RunReplay.of(service, query, from - 1)),
    "NotFound",
    () => Effect.fail(unknown(id))
  )
  const encoder = ResponseStream.make(describedOf(run, address), { after })
  return yield* PieceStream.respond({ run_id: run.run_id, encoder, events })
})

export const cancel = Effect.fnUntraced(function*(services: Services, caller: Caller, id: string) {
  const { address, query } = yield* addressed(services, caller, id)
  const { service } = services
  // a run that does not exist would be cancelled when it starts
  const run = yield* runOf(services, query, id)
  if (Run.hasEnded(run.status)) return JsonResponse.of(yield* objectOf(services, query, run, address))
  yield* toWire(service.cancel(query))
  return JsonResponse.of(ResponseObject.cancelled(describedOf(run, address)))
})
