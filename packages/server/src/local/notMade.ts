// `new Agent({ … })` and `Agent({ … })`, as other libraries have them. What authors import is a namespace of functions,
// which JavaScript cannot be taught to construct or to call: it throws an error of its own, in its own words.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { makerNames } from "./makers.ts"

const thrown = /^(?:[\w$]+\.)*([\w$]+) is not a (constructor|function)$/

/** The same error with what to write, and with its place. Undefined: it is another one. */
export const notMade = (error: unknown): Mistake | undefined => {
  if (!(error instanceof TypeError)) return undefined
  const [, name = "", taken] = thrown.exec(error.message) ?? []
  if (!makerNames.has(name)) return undefined
  const kind = taken === "constructor" ? "class" : "function"
  const mistake = new Mistake(`${name} is no ${kind}. Write ${name}.make({ … })`, { cause: error })
  return Object.assign(mistake, { stack: error.stack })
}
