// A run without `await` is a promise. Without a compiler, a program would read its answer as undefined.
import { Mistake } from "./Mistake.ts"

const forgotten = (what: string) => (): never => {
  throw new Mistake(`${what} is a promise. Write await before it`)
}

/** Reading is refused. A property that a function sets is its own. */
const accessors = (name: string, what: string): PropertyDescriptor => ({
  get: forgotten(what),
  set(this: object, value: unknown) {
    Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
  },
  configurable: true
})

const names = ["answer", "approve", "content", "events", "output", "problems", "reject", "text", "toolCalls"]

/** The promise of a run, whose answer cannot be read before it is awaited. `further`: names that it has besides. */
export const refused = <A extends object>(run: A, further: ReadonlyArray<string> = [], what = "The run"): A =>
  Object.defineProperties(
    run,
    Object.fromEntries([...names, ...further].map((name) => [name, accessors(name, what)]))
  )

/** The same for what is written into a text, or as JSON. */
export const unwritten = <A extends object>(promise: A, what: string): A =>
  Object.defineProperties(promise, {
    toJSON: { value: forgotten(what) },
    [Symbol.toPrimitive]: { value: forgotten(what) }
  })
