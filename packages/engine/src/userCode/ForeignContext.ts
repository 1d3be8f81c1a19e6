// What other libraries have in the context of a function. Here it is undefined, and a function that reads a field of it
// would fail with words that name neither.
import { type JsonSchema, Predicate } from "effect"
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

const refuseName = (target: object, name: string, sentence: string): void => {
  if (name in target) return
  const get = (): never => {
    throw new Mistake(sentence)
  }
  const set = (value: unknown): void => {
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
  }
  Object.defineProperty(target, name, { get, set, configurable: true })
}

/**
 * Gives a context these names: what reads one is refused with what to write. They are no properties that it is copied
 * by. `what` is the context in a sentence.
 */
export const refuse = <Context extends object>(context: Context, what: string): Context => {
  for (const [own, names, todo] of rows) {
    if (!(own in context)) continue
    for (const name of names) refuseName(context, name, `${what} has no '${name}'. ${todo}`)
  }
  return context
}

/** A tool whose arguments can have any names may read one that the model has left out. */
const hasAnyNames = ({ additionalProperties: others = false, patternProperties, properties }: JsonSchema.JsonSchema) =>
  others !== false || patternProperties !== undefined || properties === undefined

/** The same for the arguments of a tool, which others have in a field of the first parameter. */
export const refuseAround = (args: unknown, tool: string, parameters: JsonSchema.JsonSchema): unknown => {
  if (!hasAnyNames(parameters) && Predicate.isObject(args) && !Array.isArray(args) && Object.isExtensible(args)) {
    const todo = "The arguments are the first parameter itself: ({ a, b }, { sessionId }) => …"
    for (const name of ["context", "inputData"]) {
      if (Predicate.hasProperty(parameters["properties"], name)) continue
      refuseName(args, name, `The arguments of tool '${tool}' have no '${name}'. ${todo}`)
    }
  }
  return args
}
