// From a request to the component that answers it, with the errors of the wire.
import { CurrentPrincipal } from "@svc/api"
import {
  Caller as RunCaller,
  type Component,
  ComponentResolution,
  type Factory,
  FactoryInput,
  factoryRun,
  type RunSnapshot
} from "@svc/runtime"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Caller from "../authorization/Caller.ts"
import { factoryErrors } from "./factoryErrors.ts"

export type Options = ComponentResolution.Options

export interface ResolveRequest extends Omit<ComponentResolution.ResolveRequest, "caller"> {
  /** Null where there is none. */
  readonly request: HttpServerRequest.HttpServerRequest | null
}

/** What a factory has opened ends with the surrounding scope, unless a run takes it over. */
export const resolve = Effect.fnUntraced(function*<C extends Component>(
  options: Options,
  registered: C | Factory<C>,
  { request, ...asked }: ResolveRequest
) {
  const caller = RunCaller.make(yield* CurrentPrincipal, request)
  return yield* Effect.catchTags(
    ComponentResolution.resolve(options, registered, { ...asked, caller }),
    factoryErrors
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
