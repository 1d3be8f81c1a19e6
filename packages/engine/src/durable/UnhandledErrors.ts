// The errors of durable calls that a branch of a function throws, and that nothing awaits. Without this they would end
// the process: each start of the service would repeat the function, and end again.
import { Predicate } from "effect"

type Listener = (reason: unknown) => void

/** `process` of Node, which this package has no types of. */
interface Process {
  readonly listeners: (event: string) => ReadonlyArray<Listener>
  readonly on: (event: string, listener: Listener) => void
}

const node: Process | undefined = Reflect.get(globalThis, "process")
const event = "unhandledRejection"

/** What is called with an error that has it as its cause. */
const reports = new WeakMap<object, Listener>()

/** What was thrown, with its causes. */
export const errorsIn = (thrown: unknown): ReadonlySet<object> => {
  const errors = new Set<object>()
  const open: Array<unknown> = [thrown]
  for (const error of open) {
    if (!Predicate.isObject(error) || errors.has(error)) continue
    errors.add(error)
    if (Predicate.hasProperty(error, "cause")) open.push(error.cause)
    if (error instanceof AggregateError) open.push(...error.errors)
  }
  return errors
}

/** Other rejections end the process, as they do without this listener. */
const listener: Listener = (reason) => {
  for (const error of errorsIn(reason)) {
    const report = reports.get(error)
    if (report !== undefined) return report(reason)
  }
  if (node?.listeners(event).length === 1) throw reason
}

export const watch = (error: unknown, report: Listener): void => {
  if (!Predicate.isObject(error)) return
  reports.set(error, report)
  if (node?.listeners(event).includes(listener) === false) node.on(event, listener)
}
