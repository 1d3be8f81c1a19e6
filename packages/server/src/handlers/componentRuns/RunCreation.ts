// The request that starts a run: from its form to the run service, and from the run to the response.
import * as FactoryInput from "@svc/runtime/factory/FactoryInput"
import type { ComponentRef } from "@svc/runtime/runService/Components"
import type { RunService } from "@svc/runtime/runService/RunService"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as RequestCaller from "../../authorization/RequestCaller.ts"
import type * as FormBody from "../../forms/FormBody.ts"
import type { RunForm } from "../../forms/RunForm.ts"
import * as IdempotencyKey from "../../idempotency/IdempotencyKey.ts"
import { toWire } from "./runErrors.ts"
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
