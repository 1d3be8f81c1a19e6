// Changes of contexts that save time in each request, all in this file. A request adds about nine services to its
// context, and merges the context of its group of endpoints with its own, service by service. So both have to be small.
//
// Measured when the two functions were added, at 20 requests at once, as thousands of instructions of the main thread
// (medians of 7): a request to /health went from 261 to 210, and a read of a session from 609 to 557.
import { Context, Effect, Layer, type Scope } from "effect"

/** More services than a request with spans adds to its context. Beyond, an addition copies the whole context. */
const maxDepth = 32

/** Builds a layer in a context without layers of its own, to which requests add theirs without copying it. */
export const inFlatContext = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, Exclude<R, Scope.Scope>> =>
  Layer.effectContext(
    Effect.updateContext(
      Layer.build(layer),
      (around: Context.Context<R | Scope.Scope>) => Context.makeUnsafe(new Map(around.mapUnsafe), { maxDepth })
    )
  )

/**
 * Builds a layer in a context of which `pick` leaves a few services, so that requests merge only these. What else the
 * layer requires, it has to get otherwise: `providedWith` gives it to what is built.
 */
export const inPickedContext = <A, E, R>(
  layer: Layer.Layer<A, E, R>,
  pick: (all: never) => unknown
) =>
  Effect.updateContext(
    Layer.build(layer),
    (all: Context.Context<R | Scope.Scope>) => pick(all as never) as typeof all
  )

/** Gives what is built all services once, and not at each request. */
export const providedWith = <Built>(built: Built, all: Context.Context<never>): Built =>
  // @effect-diagnostics-next-line anyUnknownInErrorContext:off because the result has the type of what was built
  Effect.isEffect(built) ? Effect.provideContext(built, all) as Built : built
