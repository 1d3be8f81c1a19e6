// The handlers of one group of endpoints. They get services when they are built. Each request merges the context of
// its group with its own, service by service, so that context has only the middleware of endpoints.
import { Authorization, ContractErrors } from "@svc-runtime/api"
import { Context, Effect, Layer, Scope } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const middleware = Context.pick(Authorization, ContractErrors, Scope.Scope)

/** The other requirements are those of `build`. What endpoints require at a request comes from the router. */
const onlyMiddleware = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Effect.updateContext(
    Layer.build(layer),
    (all: Context.Context<R | Scope.Scope>) => middleware(all as never) as typeof all
  )

const provided = <Built>(built: Built, all: Context.Context<never>): Built =>
  // @effect-diagnostics-next-line anyUnknownInErrorContext:off because the result has the type of what was built
  Effect.isEffect(built) ? Effect.provideContext(built, all) as Built : built

export const group: typeof HttpApiBuilder.group = (api, id, build) =>
  Layer.effectContext(
    Effect.contextWith((all) =>
      onlyMiddleware(HttpApiBuilder.group(api, id, (handlers) => provided(build(handlers), all)))
    )
  )
