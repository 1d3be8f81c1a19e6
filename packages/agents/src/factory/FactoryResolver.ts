// Resolves an id to the component for a request: a registered component itself, or one that a factory builds. All
// handlers use it, so another layer of this service can replace how components are built.
import type * as StoredComponent from "@svc-runtime/domain/Component"
import type * as Json from "@svc-runtime/domain/Json"
import type { Assumption } from "@svc-runtime/engine/ComponentPrecondition"
import { type DatabaseHandle, isSame } from "@svc-runtime/engine/DatabaseHandle"
import * as Lifetime from "@svc-runtime/engine/run/Lifetime"
import { Context, Duration, Effect, Layer, type Scope } from "effect"
import { type Component, type Factory, isFactory } from "./Factory.ts"
import type { FactoryCaller } from "./FactoryContext.ts"
import { FactoryError, type FactoryFailure } from "./FactoryErrors.ts"
import * as FactoryInput from "./FactoryInput.ts"

export interface FactoryRequest extends FactoryCaller {
  readonly input: FactoryInput.FactoryInput
}

export interface Resolved<C> {
  readonly component: C
  /** Undefined for a component without a factory. It ends with the surrounding scope unless it is handed over. */
  readonly lifetime: Lifetime.Lifetime | undefined
  /** The input of the factory, to build the component again. Undefined without input. */
  readonly factory_input: Json.Object | undefined
  /** The versions of a stored component, to build it again. Left out for one that is registered. */
  readonly component_versions?: StoredComponent.Versions | undefined
  /** What was not read for a stored component. */
  readonly assumes?: ReadonlyArray<Assumption> | undefined
}

export interface FactoryResolverOptions {
  /** The timeout of factories without their own. */
  readonly timeout: Duration.Input
  /** The databases that built components can declare. Any when left out. */
  readonly databases?: ReadonlyArray<DatabaseHandle> | undefined
}

export class FactoryResolver extends Context.Service<FactoryResolver, {
  readonly resolve: <C extends Component>(
    registered: C | Factory<C>,
    request: FactoryRequest
  ) => Effect.Effect<Resolved<C>, FactoryFailure, Scope.Scope>
}>()("@svc-runtime/agents/factory/FactoryResolver") {
  static readonly layer = (options: FactoryResolverOptions): Layer.Layer<FactoryResolver> =>
    Layer.succeed(FactoryResolver, make(options))
}

/** Its runs could not be found again after a restart. */
const unknownDatabase = ({ id, kind }: Factory<Component>, db: DatabaseHandle) =>
  new FactoryError({
    kind,
    factory: id,
    message:
      `The ${kind} factory '${id}' gave a component with the database '${db.id}', which this service does not use`,
    cause: "Add the database to the option `databases` of the service, or declare it as `db` of the factory"
  })

const make = ({ databases, ...options }: FactoryResolverOptions) => {
  const timeout = Duration.fromInputUnsafe(options.timeout)

  const isKnown = (db: DatabaseHandle) => databases === undefined || databases.some((known) => isSame(known, db))

  const build = Effect.fnUntraced(function*<C extends Component>(factory: Factory<C>, request: FactoryRequest) {
    const { input: given, ...caller } = request
    const { input, object } = yield* FactoryInput.decode(given, factory.inputSchema)
    const lifetime = yield* Lifetime.acquire
    const component = yield* factory.build({ ...caller, input, lifetime, timeout })
    const { db } = component
    if (db !== undefined && !isKnown(db)) return yield* unknownDatabase(factory, db)
    return { component, lifetime, factory_input: object }
  })

  return FactoryResolver.of({
    resolve: (registered, request) =>
      isFactory(registered)
        ? build(registered, request)
        : Effect.succeed({ component: registered, lifetime: undefined, factory_input: undefined })
  })
}
