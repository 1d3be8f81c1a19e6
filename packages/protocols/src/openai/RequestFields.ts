// The fields of a request: those of its schema are read, and the others are ignored or refused. Fields that the API
// does not have are ignored, too: clients add fields of other makers.
import * as Json from "@svc-runtime/domain/Json"

type AsksForNothing = (value: Json.Value) => boolean

export interface Fields {
  /** Settings of the model, which the author of the component chooses, and fields without an effect here. */
  readonly ignored: ReadonlyArray<string>
  /** Fields that ask for another answer than the service has, with the values that ask for nothing. */
  readonly refused: Readonly<Record<string, AsksForNothing>>
}

const never: AsksForNothing = () => false
const isEmpty: AsksForNothing = (value) => Json.isList(value) && value.length === 0
const isOff: AsksForNothing = (value) => value === false || value === 0
const isOneOf = (...values: ReadonlyArray<Json.Value>): AsksForNothing => (value) => values.includes(value)
const isListOf = (...values: ReadonlyArray<Json.Value>): AsksForNothing => (value) =>
  Json.isList(value) && value.every((each) => values.includes(each))

/** The component chooses its calls: a call cannot be demanded. */
const tool_choice = isOneOf("auto", "none")

const ignored = [
  "parallel_tool_calls",
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
  "store",
  "temperature",
  "top_p"
]

export const completion: Fields = {
  ignored: [
    ...ignored,
    "frequency_penalty",
    "logit_bias",
    "max_completion_tokens",
    "max_tokens",
    "metadata",
    "prediction",
    "presence_penalty",
    "reasoning_effort",
    "seed",
    "stop",
    "verbosity"
  ],
  refused: {
    audio: never,
    function_call: never,
    functions: isEmpty,
    logprobs: isOff,
    modalities: isListOf("text"),
    n: isOneOf(1),
    tool_choice,
    top_logprobs: isOff,
    web_search_options: never
  }
}

export const response: Fields = {
  ignored: [
    ...ignored,
    "context_management",
    "max_output_tokens",
    "max_tool_calls",
    "reasoning",
    "stream_options",
    "truncation"
  ],
  refused: {
    include: isListOf("reasoning.encrypted_content"),
    prompt: never,
    tool_choice,
    top_logprobs: isOff
  }
}

/** The first field that is refused. */
export const refusedIn = ({ refused }: Fields, body: Json.Value): string | undefined =>
  Json.isObject(body)
    ? Object.keys(refused).find((name) => {
      const { [name]: value = null } = body
      return value !== null && refused[name]?.(value) !== true
    })
    : undefined
