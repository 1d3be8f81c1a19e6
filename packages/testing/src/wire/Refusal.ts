// Whether a provider would refuse a request, by its documented rules. It is independent of the code that writes
// requests.
import * as ChatCompletions from "./ChatCompletions.ts"
import * as Converse from "./Converse.ts"
import * as GenerateContent from "./GenerateContent.ts"
import * as LanguageModel from "./LanguageModel.ts"
import * as Messages from "./Messages.ts"
import * as Responses from "./Responses.ts"
import { type Fields, Refused } from "./Rule.ts"

export interface ProviderRequest {
  /** The address, or its path: it tells the wire. */
  readonly url: string
  readonly body: Fields
  /** The name of the provider in references, such as `groq`. Unset: rules that all have. */
  readonly provider?: string | undefined
}

type Check = (body: Fields, request: ProviderRequest) => void

const wires: ReadonlyArray<readonly [name: string, path: RegExp, check: Check]> = [
  [
    "chat",
    /\/chat\/completions\b|(?<!\/api)\/chat(\?|$)/,
    (body, { provider = "" }) => ChatCompletions.check(body, provider)
  ],
  ["responses", /\/responses(\?|$)/, (body, { provider = "" }) => Responses.check(body, provider)],
  ["messages", /\/messages(\?|$)/, (body) => Messages.check(body)],
  [
    "gemini",
    /:(streamG|g)enerateContent/,
    (body, { url }) => GenerateContent.check(body, /models\/([^:/?]+)/.exec(url)?.[1] ?? "")
  ],
  ["gateway", /\/language-model(\?|$)/, (body) => LanguageModel.check(body)],
  ["converse", /\/converse(-stream)?(\?|$)/, (body) => Converse.check(body)]
]

/** The wire of an address. Undefined for one without rules here, such as that of embeddings. */
export const wireOf = (url: string): string | undefined => wires.find(([, path]) => path.test(url))?.[0]

/** The sentence with which the provider refuses the request. Undefined: it takes it. */
export const refusalOf = (request: ProviderRequest): string | undefined => {
  const wire = wires.find(([, path]) => path.test(request.url))
  if (wire === undefined) return undefined
  try {
    wire[2](request.body, request)
    return undefined
  } catch (cause) {
    if (cause instanceof Refused) return cause.message
    throw cause
  }
}
