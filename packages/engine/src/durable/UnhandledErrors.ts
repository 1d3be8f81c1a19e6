// Errors that a branch of an author's function throws, and that nothing awaits. Without this they would end the
// process. Each start of the service would repeat the function, and end again. The error of a durable call belongs to
// its run, which fails. Which run another error belongs to is unknown.
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

/** Reads what was thrown. A getter or a proxy of its own may throw as well, and that would end the process. */
const looked = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** What was thrown, with its causes. */
export const errorsIn = (thrown: unknown): ReadonlySet<object> => {
  const errors = new Set<object>()
  const open: Array<unknown> = [thrown]
  for (const error of open) {
    if (typeof error !== "object" || error === null || errors.has(error)) continue
    errors.add(error)
    open.push(looked(() => Reflect.get(error, "cause")))
    looked(() => {
      const members: unknown = error instanceof AggregateError ? error.errors : undefined
      if (Array.isArray(members)) { for (const member of members) open.push(member) }
    })
  }
  return errors
}

/** What is called with a rejection that belongs to no durable call. */
const others = new Set<Listener>()

const listener: Listener = (reason) => {
  for (const error of errorsIn(reason)) {
    const report = reports.get(error)
    if (report !== undefined) return report(reason)
  }
  for (const report of others) looked(() => report(reason))
  // as without this listener: the process ends
  if (others.size === 0 && node?.listeners(event).length === 1) throw reason
}

const listen = (): void => {
  if (node?.listeners(event).includes(listener) === false) node.on(event, listener)
}

export const watch = (error: unknown, report: Listener): void => {
  if (!Predicate.isObject(error)) return
  reports.set(error, report)
  listen()
}

/** From now on all other rejections are reported, and none of them ends the process. */
export const reportOthers = (report: Listener): void => {
  others.add(report)
  listen()
}
