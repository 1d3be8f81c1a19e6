// A run without `await` is a promise. Without a compiler, a program would read its answer as undefined.
import { Mistake } from "./Mistake.ts"

const forgotten = {
  get(): never {
    throw new Mistake("The run is a promise. Write await before it")
  }
}

const names = ["answer", "approve", "content", "events", "output", "problems", "reject", "text", "toolCalls"]

/** The promise of a run, whose answer cannot be read before it is awaited. `further`: names that it has besides. */
export const refused = <A>(run: Promise<A>, further: ReadonlyArray<string> = []): Promise<A> =>
  Object.defineProperties(run, Object.fromEntries([...names, ...further].map((name) => [name, forgotten])))
