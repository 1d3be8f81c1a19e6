// What other libraries have in the context of a function. Here it is undefined, and a function that reads a field of it
// would fail with words that name neither.
import { Mistake } from "./Mistake.ts"

/** What the context has instead, the names of others, and what to write. */
const rows: ReadonlyArray<readonly [own: string, names: ReadonlyArray<string>, todo: string]> = [
  [
    "dependencies",
    ["requestContext", "runtimeContext", "experimental_context", "deps"],
    "Read dependencies or metadata"
  ],
  ["sessionId", ["configurable"], "The ids are sessionId, userId and runId"],
  ["sessionState", ["state", "setState"], "Read and change the fields of sessionState"],
  ["signal", ["abortSignal"], "Write signal"],
  ["run", ["mastra"], "Import the component, and write run(component, input)"],
  ["pause", ["suspend", "interrupt", "resumeData"], "Ask with await pause({ question: … }), which gives the answer"],
  ["agentId", ["agent"], "Its id is agentId. Ask a person with await pause({ question: … })"],
  ["emit", ["writer", "streamWriter"], "Write emit({ … })"],
  ["outputOf", ["getStepResult"], "Write outputOf(…) with a step or its name"],
  ["workflowInput", ["getInitData"], "Write workflowInput"],
  ["stepName", ["inputData"], "Write input"],
  ["stepName", ["bail"], "Return StepResult.make({ content: …, stop: true })"]
]

/**
 * Gives a context these names: what reads one is refused with what to write. They are no properties that it is copied
 * by. `what` is the context in a sentence.
 */
export const refuse = <Context extends object>(context: Context, what: string): Context => {
  for (const [own, names, todo] of rows) {
    if (!(own in context)) continue
    for (const name of names) {
      if (name in context) continue
      const get = (): never => {
        throw new Mistake(`${what} has no '${name}'. ${todo}`)
      }
      const set = (value: unknown): void => {
        Object.defineProperty(context, name, { value, writable: true, enumerable: true, configurable: true })
      }
      Object.defineProperty(context, name, { get, set, configurable: true })
    }
  }
  return context
}
