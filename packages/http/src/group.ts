// The handlers of one group of endpoints. They get services when they are built. Each request merges the context of
// its group with its own, service by service, so that context has only the middleware of endpoints.
import { Authorization, ContractErrors, ServiceApi } from "@svc-runtime/api"
import { Context, Effect, Layer, Scope } from "effect"
import { type HttpApi, HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import * as fastPath from "./requests/fastPath.ts"

const middleware = Context.pick(Authorization, ContractErrors, Scope.Scope)

/** The API with one group. Its routes do not depend on the other groups. */
const apiOf = <Group extends HttpApiGroup.Constraint>(endpoints: Group): HttpApi.HttpApi<"svc", Group> =>
  ServiceApi.empty.add(endpoints)

type Handlers<Group extends HttpApiGroup.Constraint> = HttpApiBuilder.Handlers.FromGroup<Group>

/**
 * The layer of the handlers of `endpoints`. The requirements are those of `build`. What endpoints require at a request
 * comes from the router.
 */
export const group = <Group extends HttpApiGroup.Constraint, Return>(
  endpoints: Group,
  build: (handlers: Handlers<Group>) => HttpApiBuilder.Handlers.ValidateReturn<Return>
): Layer.Layer<
  HttpApiGroup.Service<"svc", Group["identifier"]>,
  HttpApiBuilder.Handlers.Error<Return>,
  Exclude<HttpApiBuilder.Handlers.Context<Return>, Scope.Scope>
> =>
  Layer.effectContext(
    // @effect-diagnostics-next-line anyUnknownInErrorContext:off because the types of the layer are declared above
    Effect.contextWith((all) =>
      fastPath.inPickedContext(
        HttpApiBuilder.group(
          apiOf(endpoints),
          endpoints.identifier as HttpApiGroup.Identifier<Group>,
          (handlers) => fastPath.providedWith(build(handlers as never), all)
        ),
        middleware
      )
    )
  ) as never
