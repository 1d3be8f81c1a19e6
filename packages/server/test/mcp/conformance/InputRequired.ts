// The tools of the conformance suite that need something of the client first, in the revision without sessions: a call
// is answered with what is needed, and made again with that.
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import { createHmac } from "node:crypto"
import { says, text, type Tool } from "./Tool.ts"

const form = (message: string, property: string, type = "string"): McpSchema.McpInputRequest => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { [property]: { type } }, required: [property] }
  }
})

const sampling = (prompt: string, maxTokens: number): McpSchema.McpInputRequest => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens }
})

const roots: McpSchema.McpInputRequest = { method: "roots/list", params: {} }

const sign = (state: string) => `${state}.${createHmac("sha256", "conformance").update(state).digest("hex")}`

interface Round {
  readonly state: string
  readonly asks: Readonly<Record<string, McpSchema.McpInputRequest>>
}

const isAnswer = (answer: unknown): boolean => {
  if (typeof answer !== "object" || answer === null) return false
  const { action, content, roots } = answer as Readonly<Record<string, unknown>>
  return action === undefined ? content !== undefined || Array.isArray(roots) : typeof action === "string"
}

/** What is still needed, or what came in; a state that was tampered with is refused. */
const rounds = (...all: ReadonlyArray<Round>) =>
  Effect.gen(function*() {
    const { inputResponses = {}, requestState } = yield* McpSchema.McpRequestContext
    const at = requestState === undefined ? 0 : all.findIndex(({ state }) => sign(state) === requestState)
    if (at === -1) return yield* new McpSchema.InvalidParams({ message: "The state of the request is not ours" })
    const { asks, state } = all[at]!
    const isAnswered = Object.keys(asks).every((key) => isAnswer(inputResponses[key]))
    const next = isAnswered ? all[at + 1] : { asks, state }
    return next === undefined
      ? says(text(`state-ok ${JSON.stringify(inputResponses)}`))
      : new McpSchema.InputRequired({
        inputRequests: next.asks,
        ...(next.state === "" ? {} : { requestState: sign(next.state) })
      })
  })

const name = form("What is your name?", "name")

export const prompt = Effect.map(
  rounds({ state: "", asks: { user_context: form("What context should the prompt use?", "context") } }),
  (result) =>
    result instanceof McpSchema.InputRequired
      ? result
      : McpSchema.GetPromptResult.make({
        messages: [McpSchema.PromptMessage.make({ role: "user", content: text("With your context.") } as never)]
      })
)

export const tools: ReadonlyArray<Tool> = [
  {
    name: "test_input_required_result_elicitation",
    handle: () => rounds({ state: "", asks: { user_name: name } })
  },
  {
    name: "test_input_required_result_sampling",
    handle: () => rounds({ state: "", asks: { capital_question: sampling("What is the capital of France?", 100) } })
  },
  { name: "test_input_required_result_list_roots", handle: () => rounds({ state: "", asks: { client_roots: roots } }) },
  {
    name: "test_input_required_result_request_state",
    handle: () => rounds({ state: "confirm", asks: { confirm: form("Please confirm", "ok", "boolean") } })
  },
  {
    name: "test_input_required_result_multiple_inputs",
    handle: () =>
      rounds({
        state: "several",
        asks: { user_name: name, greeting: sampling("Generate a greeting", 50), client_roots: roots }
      })
  },
  {
    name: "test_input_required_result_multi_round",
    handle: () =>
      rounds(
        { state: "one", asks: { step1: form("Step 1: What is your name?", "name") } },
        { state: "two", asks: { step2: form("Step 2: What is your favorite color?", "color") } }
      )
  },
  {
    name: "test_input_required_result_tampered_state",
    handle: () => rounds({ state: "signed", asks: { confirm: form("Please confirm", "ok", "boolean") } })
  },
  {
    name: "test_missing_capability",
    handle: () => rounds({ state: "", asks: { capital_question: sampling("What is the capital of France?", 100) } })
  },
  { name: "test_streaming_elicitation", handle: () => rounds({ state: "", asks: { user_name: name } }) },
  {
    name: "test_input_required_result_capabilities",
    handle: () => rounds({ state: "", asks: { capital_question: sampling("What is the capital of France?", 100) } })
  }
]
