// A component that is made anew for each request. What the factories of agents, teams and workflows share is here: the
// options, their validation, and the one place where an author's factory is called. It may throw, reject, die, hang
// or return something else than a component; each of these is a `FactoryError`, and only errors that the author means
// for the caller are passed on.
// @effect-diagnostics anyUnknownInErrorContext:off -- an author may fail with anything; `UserCode` makes it `Thrown`
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import type { Lifetime } from "@svc-runtime/engine/run/Lifetime"
import {
  type AnySchema,
  authoredFor,
  type Infer,
  objectOrRefused,
  type Shape
} from "@svc-runtime/engine/schema/AnySchema"
import * as RootObject from "@svc-runtime/engine/schema/RootObject"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Duration, Effect, Fiber, type JsonSchema, Predicate, Scope } from "effect"
import type { FactoryCaller, FactoryContext } from "./FactoryContext.ts"
import { FactoryError, type FactoryFailure, FactoryPermissionError, FactoryValidationError } from "./FactoryErrors.ts"

export interface Component {
  readonly id: string
  /** Where its runs are stored. Undefined: in the database of its factory, or in the service's own. */
  readonly db?: DatabaseHandle.DatabaseHandle | undefined
}

type Built<C> = C | PromiseLike<C> | Effect.Effect<C, unknown, Scope.Scope>

type InputOf<S> = S extends AnySchema ? Infer<S> : Json.Object

export interface Options<S, C> {
  /** The handle in URLs. The built component gets it. */
  readonly id: string
  /** The display name. Default: the id. */
  readonly name?: string | undefined
  /** What the component does. Default: none. */
  readonly description?: string | undefined
  /** Where runs are stored, unless the built component has a `db`. Default: the service's own database. */
  readonly db?: DatabaseHandle.DatabaseHandle | undefined
  /** The schema of `factory_input`: an Effect Schema, any Standard Schema, or a JSON Schema. */
  readonly inputSchema?: S | undefined
  /**
   * The input of `build` for a run that a caller continues without sending one: null, or that of the run's start.
   * Default: `none`.
   */
  readonly continueInput?: "none" | "stored" | undefined
  /** The timeout of `build`. Default: the service's limit. */
  readonly timeout?: Duration.Input | undefined
  /** Called for every run: returns a value, a promise, or an Effect whose scope is open until the run ends. */
  readonly build: (context: FactoryContext<InputOf<S>>) => Built<C>
}

/** The differences between agents, teams and workflows. */
export interface ComponentType<C extends Component> {
  readonly kind: ComponentKind.ComponentKind
  readonly idOf: (id: string) => C["id"]
  readonly is: (value: unknown) => value is C
  /** The component with the factory's id and with stored events. */
  readonly complete: (component: C, id: C["id"]) => C
}

/** The input of one build, beside its caller. */
export interface Call extends FactoryCaller {
  readonly input: unknown
  readonly lifetime: Lifetime
  /** The timeout of factories without their own. */
  readonly timeout: Duration.Duration
}

export interface Factory<C extends Component> {
  readonly _tag: "Factory"
  readonly kind: ComponentKind.ComponentKind
  readonly id: C["id"]
  readonly name: string | undefined
  readonly description: string | undefined
  readonly db: DatabaseHandle.DatabaseHandle | undefined
  readonly inputSchema: Shape<unknown> | undefined
  readonly continueInput: "none" | "stored"
  readonly build: (call: Call) => Effect.Effect<C, FactoryFailure>
}

export const isFactory = <C extends Component>(registered: C | Factory<C>): registered is Factory<C> =>
  Predicate.isTagged(registered, "Factory")

/** The factory with a further step on its components. `how` describes a component for which that step fails. */
export const completed = <C extends Component, E>(
  factory: Factory<C>,
  how: string,
  complete: (component: C) => Effect.Effect<C, E>
): Factory<C> => {
  const { build, id, kind } = factory
  const broken = (cause: E) =>
    new FactoryError({ kind, factory: id, message: `The ${kind} factory '${id}' ${how}`, cause })
  return { ...factory, build: (call) => Effect.flatMap(build(call), (made) => Effect.mapError(complete(made), broken)) }
}

/** Separates errors for the caller from those for the log. */
const toFailure = (broken: (how: string, cause: unknown) => FactoryError) => ({ cause }: UserCode.UserError) =>
  cause instanceof FactoryPermissionError || cause instanceof FactoryValidationError ? cause : broken("failed", cause)

/**
 * Fails after the timeout without waiting for uninterruptible work: an author's Effect can hang while it acquires a
 * resource.
 */
const limited = Effect.fnUntraced(function*<A, E>(
  running: Effect.Effect<A, E>,
  limit: Duration.Duration,
  late: () => E
) {
  // detached, so that no caller waits for it; resources that it opens late are closed at once by the ended lifetime
  const fiber = yield* Effect.forkDetach(running, { startImmediately: true })
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return yield* exit
  const abandon = Effect.sync(() => fiber.interruptUnsafe())
  return yield* Effect.timeoutOrElse(Effect.onInterrupt(Fiber.join(fiber), () => abandon), {
    duration: limit,
    orElse: () => Effect.fail(late())
  })
})

const isEffect = (built: unknown): built is Effect.Effect<unknown, unknown, Scope.Scope> => Effect.isEffect(built)

/** Describes an invalid component for the log, without its content. */
const described = (value: unknown): string =>
  Predicate.isObject(value)
    ? `an object with the keys ${Object.keys(value).slice(0, 10).join(", ")}`
    : `a ${typeof value}`

const kinds: AuthorOptions.Kinds<keyof Options<undefined, Component>> = {
  id: "text",
  name: "text",
  description: "text",
  db: "any",
  inputSchema: "any",
  continueInput: { oneOf: ["none", "stored"] },
  timeout: "any",
  build: "function"
}

/** A choice of objects is one of them in each request. */
const objectSchema = (owner: string, schema: AnySchema | JsonSchema.JsonSchema): Shape<unknown> => {
  const what = `${owner}: its inputSchema`
  const shape = authoredFor(what, schema, "callers")
  return RootObject.isForObjects(shape.jsonSchema)
    ? shape
    : objectOrRefused(what, schema, "factory_input is one", "callers")
}

/** Throws for mistakes of the author that do not depend on a request. */
export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined, C extends Component>(
  of: ComponentType<C>,
  options: Options<S, C>
): Factory<C> => {
  const { kind } = of
  AuthorOptions.check(AuthorOptions.ownerOf(`The ${kind} factory`, options), options, kinds)
  const id = of.idOf(Validate.urlId(`The ${kind} factory's`, options.id))
  const owner = `The ${kind} factory '${id}'`
  const build = options.build as (context: FactoryContext<unknown>) => Built<unknown>
  if (!Predicate.isFunction(build)) throw new Mistake(`${owner}: build must be a function that gives its ${kind}`)
  const { continueInput = "none" } = options
  const limit = options.timeout === undefined ? undefined : Validate.duration(owner, "timeout", options.timeout)
  const db = DatabaseHandle.checked(owner, options.db)
  const broken = (how: string, cause: unknown) =>
    new FactoryError({ kind, factory: id, message: `${owner} ${how}`, cause })

  const call = ({ input, lifetime, metadata = {}, run, timeout: _, ...caller }: Call) => {
    const context: FactoryContext<unknown> = {
      ...caller,
      id,
      input,
      metadata,
      run: run ?? null,
      get signal() {
        return lifetime.signal
      },
      onClose: lifetime.onClose
    }
    return UserCode.call(() => {
      const built = build(context)
      return isEffect(built) ? Scope.provide(built, lifetime.scope) : built
    })
  }

  return {
    _tag: "Factory",
    kind,
    id,
    name: options.name,
    description: options.description,
    db,
    inputSchema: options.inputSchema === undefined ? undefined : objectSchema(owner, options.inputSchema),
    continueInput,
    build: Effect.fn("Factory.build")(function*(request: Call) {
      const timeout = limit ?? request.timeout
      const component = yield* limited(
        Effect.mapError(call(request), toFailure(broken)),
        timeout,
        () => broken(`did not give its ${kind} within ${Duration.format(timeout)}`, undefined)
      )
      if (!of.is(component)) return yield* broken(`gave something that is no ${kind}`, described(component))
      if (component.id !== id) {
        yield* Effect.logWarning(`${owner} gave the ${kind} '${component.id}', which is called '${id}' here`)
      }
      const completed = of.complete(component, id)
      return db === undefined || completed.db !== undefined ? completed : { ...completed, db }
    })
  }
}
