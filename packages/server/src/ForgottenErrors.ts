// Errors in the code of components that nothing awaits. The process of a service belongs to all of its users: such an
// error is logged and ends nothing. `NODE_OPTIONS=--unhandled-rejections=strict` ends the process as without this.
import * as UnhandledErrors from "@svc-runtime/engine/durable/UnhandledErrors"
import { Cause, type Context, Effect } from "effect"
import { inspect, types } from "node:util"

/** An error as it is, because its stack is logged: it names the place. Of other objects only their fields tell it. */
const shown = (reason: unknown): unknown =>
  typeof reason !== "object" || types.isNativeError(reason)
    ? reason
    : inspect(reason, { maxArrayLength: 20, maxStringLength: 1000, breakLength: Infinity })

const message =
  "Code of a component has failed and nothing awaits it: await it or catch its error. The service continues"

/** What is thrown can fail when it is looked at, here or in the logger. */
export const log = (reason: unknown): Effect.Effect<void> =>
  Effect.suspend(() => Effect.logError(message, Cause.die(shown(reason)))).pipe(
    Effect.catchCause(() => Effect.logError(`${message}. What it has thrown cannot be shown`))
  )

/** From now on. */
export const logged = Effect.contextWith((context: Context.Context<never>) => {
  UnhandledErrors.reportOthers((reason) => Effect.runForkWith(context)(log(reason)))
  return Effect.void
})
