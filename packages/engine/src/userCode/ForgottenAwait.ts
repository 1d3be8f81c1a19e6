// A run without `await` is a promise. Without a compiler, a program would read its answer as undefined.
import { Mistake } from "./Mistake.ts"

const forgotten = {
  get(): never {
    throw new Mistake("The run is a promise. Write await before it")
  }
}

/** The promise of a run, whose answer cannot be read before it is awaited. */
export const refused = <A>(run: Promise<A>): Promise<A> =>
  Object.defineProperties(run, { content: forgotten, text: forgotten })
