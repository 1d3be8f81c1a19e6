// The step whose function is executed: whatever it awaits, and in all that it forks. A fiber keeps the asynchronous
// context in which it begins. Where the runtime has none, durable calls inside of steps are not found.
import { Effect, type Exit, Fiber } from "effect"

interface Step {
  /** The execution of the function that has called the step. */
  readonly within: object
  readonly name: string
}

/** `AsyncLocalStorage` of Node, which this package has no types of. */
interface Storage {
  readonly getStore: () => Step | undefined
  readonly run: <A>(step: Step, f: () => A) => A
  readonly disable: () => void
}

interface Process {
  readonly getBuiltinModule?: (name: string) => { readonly AsyncLocalStorage: new() => Storage }
}

const builtin: Process | undefined = Reflect.get(globalThis, "process")
const hooks = builtin?.getBuiltinModule?.("node:async_hooks")
const storage = hooks && new hooks.AsyncLocalStorage()
let running = 0

/** Without a step that is executed, the storage costs nothing. */
const leave = (): void => {
  if (--running === 0) storage?.disable()
}

export const call = <A, E>(step: Step, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber(({ context }) =>
    Effect.callback<A, E>((resume) => {
      running++
      const begin = () => Effect.runForkWith(context)(effect)
      const fiber = storage === undefined ? begin() : storage.run(step, begin)
      fiber.addObserver((exit: Exit.Exit<A, E>) => {
        leave()
        resume(exit)
      })
      return Fiber.interrupt(fiber)
    })
  )

/** The name of the step of this execution that is executed now. */
export const nameIn = (within: object): string | undefined => {
  const step = storage?.getStore()
  return step?.within === within ? step.name : undefined
}
