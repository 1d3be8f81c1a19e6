// What other libraries have in the context of a function, or in the arguments of a tool. Here it is undefined, and a
// function that reads a field of it fails with words that do not say what to write.
import { Effect, type JsonSchema, Predicate } from "effect"
import * as UserCode from "./UserCode.ts"

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

/** Others have the arguments of a tool in a field of the first parameter. */
const argumentNames: ReadonlyArray<string> = ["context", "inputData"]
const argumentsTodo = "The arguments are the first parameter itself: ({ a, b }, { sessionId }) => …"

/** What V8 says of a name that is undefined: the name itself, or only what was read of it. */
const thrown = new RegExp(
  String.raw`^(?:.*\.)?(\w+) is not a function$|` +
    String.raw` of '(?:.*\.)?(\w+)' as it is undefined\.$|` +
    String.raw`^Cannot read properties of undefined \(reading '(\w+)'\)$`
)

/** Whether the error is of this name. Where it names only what was read, the code has to read that of the name. */
const isOf = (error: TypeError, code: string) => (name: string): boolean => {
  const [, called, destructured, read] = thrown.exec(error.message) ?? []
  if (read === undefined) return name === (called ?? destructured)
  return new RegExp(String.raw`\b${name}(?:\.|:\s*\{\s*)${read}\b`).test(code)
}

/** A function of the author, which is given a context and perhaps arguments. */
export interface Called<Context extends object, A> {
  /** The context in a sentence. */
  readonly what: string
  /** The tool whose arguments are beside the context. */
  readonly tool?: { readonly name: string; readonly parameters: JsonSchema.JsonSchema } | undefined
  /** What the author has written. */
  readonly code: (...given: never) => unknown
  readonly contextOf: (signal: AbortSignal) => Context
  readonly run: (context: Context) => UserCode.Returned<A>
}

const hintOf = (
  { code, tool, what }: Pick<Called<never, never>, "code" | "tool" | "what">,
  context: object,
  error: TypeError
): string | undefined => {
  const isMeant = isOf(error, Function.prototype.toString.call(code))
  for (const [own, names, todo] of rows) {
    const name = own in context ? names.find((name) => !(name in context) && isMeant(name)) : undefined
    if (name !== undefined) return `${what} has no '${name}'. ${todo}`
  }
  if (tool === undefined) return undefined
  const { name, parameters } = tool
  const meant = argumentNames.find((each) => !Predicate.hasProperty(parameters["properties"], each) && isMeant(each))
  return meant === undefined ? undefined : `The arguments of tool '${name}' have no '${meant}'. ${argumentsTodo}`
}

/**
 * Calls it. An error of V8 which other libraries' names have caused also says what to write. Neither the context nor
 * the arguments have these names: code may ask whether they are there.
 */
export const call = <Context extends object, A>(called: Called<Context, A>): Effect.Effect<A, UserCode.UserError> =>
  Effect.suspend(() => {
    let context: Context | undefined
    return Effect.mapError(
      UserCode.call((signal) => called.run(context = called.contextOf(signal))),
      (failure) => {
        const { cause } = failure
        if (!(cause instanceof TypeError) || context === undefined) return failure
        const hint = hintOf(called, context, cause)
        if (hint === undefined) return failure
        const message = `${cause.message.replace(/\.$/, "")}. ${hint}`
        return new UserCode.UserError({ cause: new TypeError(message, { cause }) })
      }
    )
  })
