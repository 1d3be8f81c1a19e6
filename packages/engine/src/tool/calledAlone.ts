// The methods by which other libraries call a tool without a run. Here a call belongs to a run, which gives it the
// context, the arguments that the schema accepts, and a place in the journal.
import { Mistake } from "../userCode/Mistake.ts"

const names = ["execute", "func", "handler", "invoke", "run"]

export const calledAlone = (tool: string, method: string): Mistake =>
  new Mistake(
    `Tool '${tool}' has no method '${method}', because a call belongs to a run. In a test let the model call it, with ` +
      `toolCall("${tool}", { … }), or call the function that you gave it`
  )

/** The prototype of tools: what is made of options has these names nowhere else. */
export const calledAloneMethods: object = Object.defineProperties(
  {},
  Object.fromEntries(names.map((name) => [name, {
    value(this: { readonly name: string }): never {
      throw calledAlone(this.name, name)
    },
    writable: true,
    configurable: true
  }]))
)
