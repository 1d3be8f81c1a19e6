// From a registered component or factory to the component that executes a run. A factory gets verified facts about the
// caller and unverified values of the request in different fields.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import { bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import { Effect } from "effect"
import { isFactory } from "../factory/Factory.ts"
import type { FactoryRun } from "../factory/FactoryContext.ts"
import type { FactoryInput } from "../factory/FactoryInput.ts"
import type { FactoryRequest, FactoryResolver, Resolved } from "../factory/FactoryResolver.ts"
import type { Caller } from "./Caller.ts"
import type { AnyComponent, Found } from "./Components.ts"
import { FactoryInputTooLarge } from "./RunServiceErrors.ts"

export interface Options {
  readonly resolver: FactoryResolver["Service"]
  /** Bytes. */
  readonly maxInputBytes: number
}

export interface ResolveRequest {
  readonly caller: Caller
  readonly user_id: Ids.UserId | undefined
  readonly session_id: string | undefined
  readonly input: FactoryInput
  /** What the request keeps with the run. */
  readonly metadata?: Json.Object | undefined
  /** The stored run that the request is about. Left out for a new run. */
  readonly run?: FactoryRun | undefined
}

const toFactoryRequest = (
  { caller: { principal: { claims, grants }, request }, input, metadata, run, session_id, user_id }: ResolveRequest
): FactoryRequest => ({
  userId: user_id ?? null,
  sessionId: session_id ?? null,
  trusted: { claims, scopes: new Set(grants?.scopes) },
  request,
  input,
  metadata,
  run
})

/** What a factory opened closes with the surrounding scope, unless a run takes it over. */
export const resolve = Effect.fnUntraced(function*(
  { maxInputBytes, resolver }: Options,
  { assumes, component_versions, registered }: Found,
  request: ResolveRequest
) {
  const { input } = request
  const isTooLarge = input._tag === "Text" && input.text !== undefined && bytesOf(input.text) > maxInputBytes
  // a component that no factory makes ignores the input
  if (isTooLarge && isFactory(registered)) return yield* new FactoryInputTooLarge({ limit: maxInputBytes })
  const resolved: Resolved<AnyComponent> = yield* resolver.resolve(registered, toFactoryRequest(request))
  return component_versions === undefined ? resolved : { ...resolved, assumes, component_versions }
})
