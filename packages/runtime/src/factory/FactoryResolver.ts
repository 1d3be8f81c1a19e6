// From what is registered under an id to the component that answers a request: a component answers by itself, a factory
// makes one. Handlers ask here and nowhere else, so that another layer of this service changes how components come about.
import { Context, Duration, Effect, Layer, type Scope } from "effect"
import { type Component, type Factory, isFactory } from "./Factory.ts"
import type { FactoryCaller } from "./FactoryContext.ts"
import type { FactoryFailure } from "./FactoryErrors.ts"
import * as FactoryInput from "./FactoryInput.ts"
import * as Lifetime from "./Lifetime.ts"

export interface FactoryRequest extends FactoryCaller {
  readonly input: FactoryInput.FactoryInput
}

export interface Resolved<C> {
  readonly component: C
  /** Undefined when nobody has made it for this request. It ends with the surrounding scope unless it is handed over. */
  readonly lifetime: Lifetime.Lifetime | undefined
}

export interface FactoryResolverOptions {
  /** How long a factory may take that does not say it itself. */
  readonly timeout: Duration.Input
}

export class FactoryResolver extends Context.Service<FactoryResolver, {
  /** For a run that starts. */
  readonly resolve: <C extends Component>(
    registered: C | Factory<C>,
    request: FactoryRequest
  ) => Effect.Effect<Resolved<C>, FactoryFailure, Scope.Scope>
  /**
   * For a run that goes on, continued by a caller or taken up again after a restart: the factory runs with input null,
   * whatever its schema says.
   */
  readonly resolveAgain: <C extends Component>(
    registered: C | Factory<C>,
    caller: FactoryCaller
  ) => Effect.Effect<Resolved<C>, FactoryFailure, Scope.Scope>
}>()("@svc/runtime/factory/FactoryResolver") {
  static readonly layer = (options: FactoryResolverOptions): Layer.Layer<FactoryResolver> =>
    Layer.succeed(FactoryResolver, make(options))
}

const make = (options: FactoryResolverOptions) => {
  const timeout = Duration.fromInputUnsafe(options.timeout)

  const build = Effect.fnUntraced(function*<C extends Component>(
    factory: Factory<C>,
    caller: FactoryCaller,
    input: unknown
  ) {
    const { request, sessionId, trusted, userId } = caller
    const lifetime = yield* Lifetime.acquire
    const component = yield* factory.build({ userId, sessionId, trusted, request, input, lifetime, timeout })
    return { component, lifetime }
  })

  return FactoryResolver.of({
    resolve: (registered, request) =>
      isFactory(registered)
        ? Effect.flatMap(
          FactoryInput.decode(request.input, registered.inputSchema),
          (input) => build(registered, request, input)
        )
        : Effect.succeed({ component: registered, lifetime: undefined }),
    resolveAgain: (registered, caller) =>
      isFactory(registered)
        ? build(registered, caller, null)
        : Effect.succeed({ component: registered, lifetime: undefined })
  })
}
