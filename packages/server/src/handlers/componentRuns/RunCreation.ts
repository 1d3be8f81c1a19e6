// The request that starts a run: from its form to the run service, and from the run to the response.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import type * as FormBody from "@svc-runtime/http/forms/FormBody"
import type { RunForm } from "@svc-runtime/http/forms/RunForm"
import * as IdempotencyKey from "@svc-runtime/http/idempotency/IdempotencyKey"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as RunResponse from "./RunResponse.ts"

export interface Target {
  readonly component: ComponentRef
  readonly request: HttpServerRequest.HttpServerRequest
}

const start = Effect.fnUntraced(function*(
  service: RunService["Service"],
  { component, request }: Target,
  { fingerprint, form }: FormBody.Read<RunForm>
) {
  const key = yield* IdempotencyKey.read(request, fingerprint)
  const { factory_input, media, message, options, run_id, session_id, user_id, version } = form
  const starting = {
    component,
    caller: yield* RequestCaller.current(request),
    message,
    media,
    run_id,
    session_id,
    user_id,
    version,
    factoryInput: FactoryInput.text(factory_input),
    options
  }
  return yield* key === undefined ? toWire(service.start(starting)) : toWire(service.startOnce(starting, key))
})

export const respond = (service: RunService["Service"], target: Target) =>
  Effect.fnUntraced(function*(read: FormBody.Read<RunForm>) {
    const { form: { response: mode }, release, whileSent } = read
    const result = yield* start(service, target, read)
    if (result._tag === "Repeated") return yield* RunResponse.of(result, mode)
    // the uploads belong to the run now
    yield* release
    return whileSent(yield* RunResponse.of(result, mode))
  })
