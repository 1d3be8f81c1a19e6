// Chat Completions: OpenAI's rules, and those of the providers that speak it. Sources: the API references of OpenAI,
// Azure, Groq, Cerebras, Mistral, DeepSeek, Moonshot, Cohere, Perplexity, Together, Fireworks and OpenRouter, and their
// error messages.
import {
  argumentsOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  matching,
  must,
  refuse,
  textOf,
  unique,
  wordsOf
} from "./Rule.ts"
import * as Schemas from "./Schemas.ts"

/** What differs between the providers. */
interface Rules {
  /** The ids of calls. */
  readonly ids: RegExp
  /** The fields of messages. Undefined: others are ignored. */
  readonly fields?: ReadonlyArray<string>
  /** A tool turn of a model that thinks must have `reasoning_content`. */
  readonly reasoning?: RegExp
  readonly userAfterTool?: false
  readonly lastIsAnswer?: false
  /** The instructions come first. */
  readonly systemAfter?: false
  /** Answers and other messages alternate. */
  readonly alternates?: true
  readonly withoutTools?: true
  /** The content of answers and of results is one text. */
  readonly textContent?: true
  /** A format of the answer goes with tools. */
  readonly formatWithTools?: false
  /** The formats of answers. */
  readonly formats?: ReadonlyArray<string>
}

const name = /^[a-zA-Z0-9_-]{1,64}$/
const common = ["role", "content", "name", "tool_calls", "tool_call_id"]

const openAi: Rules = { ids: /^.{1,40}$/s }
const others: Rules = { ids: /^.{1,64}$/s }

const providers: Readonly<Record<string, Rules>> = {
  openai: openAi,
  azure: openAi,
  groq: { ...others, fields: [...common, "reasoning"], textContent: true, formatWithTools: false },
  cerebras: { ...others, fields: [...common, "reasoning"] },
  mistral: {
    ids: /^[a-zA-Z0-9]{9}$/,
    fields: [...common, "prefix"],
    userAfterTool: false,
    lastIsAnswer: false,
    systemAfter: false
  },
  deepseek: { ...others, reasoning: /reasoner|v4|think/, formats: ["text", "json_object"] },
  moonshotai: { ...others, reasoning: /think|k2\.[5-9]|k[3-9]/ },
  cohere: { ...others, lastIsAnswer: false, formatWithTools: false },
  perplexity: {
    ...others,
    lastIsAnswer: false,
    systemAfter: false,
    alternates: true,
    withoutTools: true,
    formats: ["text", "json_schema", "regex"]
  }
}

const partTypes = [
  "text",
  "image_url",
  "input_audio",
  "file",
  "video_url",
  "document_url",
  "thinking",
  "document",
  "refusal"
]

const contentOf = (value: unknown, path: string): void => {
  if (typeof value === "string") return
  const parts = listOf(value, path)
  must(parts.length > 0, `${path} must not be an empty list`)
  for (const [index, one] of parts.entries()) {
    const part = fieldsOf(one, `${path}[${index}]`)
    must(partTypes.includes(part["type"] as string), `${path}[${index}].type is ${JSON.stringify(part["type"])}`)
    if (part["type"] === "text") textOf(part["text"], `${path}[${index}].text`)
  }
}

interface Waiting {
  readonly at: string
  readonly ids: Set<string>
}

const callsOf = (message: Fields, at: string, { ids }: Rules): ReadonlyArray<string> => {
  if (message["tool_calls"] === undefined) return []
  const calls = listOf(message["tool_calls"], `${at}.tool_calls`)
  must(calls.length > 0, `${at}.tool_calls is [], which is too short`)
  return calls.map((one, index) => {
    const path = `${at}.tool_calls[${index}]`
    const call = fieldsOf(one, path)
    const made = fieldsOf(call["function"], `${path}.function`)
    matching(made["name"], name, `${path}.function.name`)
    // Cohere and Ollama take objects
    if (!isFields(made["arguments"])) argumentsOf(made["arguments"], `${path}.function.arguments`)
    return matching(call["id"], ids, `${path}.id`)
  })
}

const messages = (body: Fields, rules: Rules): boolean => {
  const all = listOf(body["messages"], "messages")
  must(all.length > 0, "messages must not be empty")
  const seen: Array<string> = []
  let waiting: Waiting | undefined
  let before = ""
  const settled = (at: string) => {
    if (waiting === undefined || waiting.ids.size === 0) return
    refuse(
      `${at}: an assistant message with 'tool_calls' must be followed by tool messages responding to each ` +
        `'tool_call_id'. ${waiting.at} has none for ${[...waiting.ids].join(", ")}`
    )
  }
  for (const [index, one] of all.entries()) {
    const at = `messages[${index}]`
    const message = fieldsOf(one, at)
    const role = textOf(message["role"], `${at}.role`)
    if (rules.fields !== undefined) {
      for (const field of Object.keys(message)) {
        must(rules.fields.includes(field), `${at}: property '${field}' is unsupported`)
      }
    }
    if (role !== "tool") settled(at)
    switch (role) {
      case "system":
      case "developer":
      case "user":
        must(
          role === "user" || rules.systemAfter !== false || before === "" || before === "system",
          `${at}: unexpected role '${role}' after role '${before}'`
        )
        must(
          rules.alternates !== true || role !== "user" || before !== "user",
          "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s)"
        )
        must(
          role !== "user" || rules.userAfterTool !== false || before !== "tool",
          `${at}: unexpected role 'user' after role 'tool'`
        )
        contentOf(message["content"], `${at}.content`)
        break
      case "assistant": {
        const ids = callsOf(message, at, rules)
        const { content } = message
        if (content !== undefined && content !== null) contentOf(content, `${at}.content`)
        must(
          rules.textContent !== true || !Array.isArray(content),
          `${at}.content: value must be a string for 'role:assistant'`
        )
        must(
          rules.alternates !== true || !["", "system", "assistant"].includes(before),
          `${at}: an answer follows a message of the user`
        )
        must(
          ids.length > 0 || (content !== undefined && content !== null && content !== ""),
          `${at}: an assistant message must have content or tool_calls`
        )
        if (ids.length > 0 && rules.reasoning?.test(String(body["model"])) === true) {
          must(
            typeof message["reasoning_content"] === "string" && message["reasoning_content"] !== "",
            `${at}: thinking is enabled but reasoning_content is missing in an assistant message with tool calls`
          )
        }
        seen.push(...ids)
        waiting = { at, ids: new Set(ids) }
        break
      }
      case "tool": {
        const id = textOf(message["tool_call_id"], `${at}.tool_call_id`)
        must(
          waiting?.ids.delete(id) === true,
          `${at}: messages with role 'tool' must be a response to a preceding message with 'tool_calls', and ` +
            `${JSON.stringify(id)} is none of its ids`
        )
        contentOf(message["content"], `${at}.content`)
        must(
          rules.textContent !== true || typeof message["content"] === "string",
          `${at}.content: value must be a string for 'role:tool'`
        )
        break
      }
      default:
        refuse(`${at}.role is ${JSON.stringify(role)}`)
    }
    before = role
  }
  settled("messages")
  unique(seen, "The ids of calls")
  if (rules.lastIsAnswer === false) {
    const last = fieldsOf(all.at(-1), "messages")
    must(
      last["role"] !== "assistant" || last["prefix"] === true,
      "Expected last role user or tool (or assistant with prefix true) for serving but got assistant"
    )
  }
  return seen.length > 0
}

const tools = (body: Fields, rules: Rules): void => {
  must(rules.withoutTools !== true || body["tools"] === undefined, "Tools are not supported by this model")
  if (body["tools"] === undefined) {
    must(body["tool_choice"] === undefined, "'tool_choice' is only allowed when 'tools' are specified")
    return
  }
  const all = listOf(body["tools"], "tools")
  must(all.length > 0, "tools is [], which is too short")
  must(all.length <= 128, `tools has ${all.length} tools, and may have 128`)
  const names = all.flatMap((one, index) => {
    const tool = fieldsOf(one, `tools[${index}]`)
    if (tool["type"] !== "function") return []
    const at = `tools[${index}].function`
    const made = fieldsOf(tool["function"], at)
    if (made["parameters"] !== undefined) {
      Schemas.objectRoot(made["parameters"], `${at}.parameters`)
      Schemas.plain(made["parameters"], `${at}.parameters`)
      if (made["strict"] === true) Schemas.openAiStrict(made["parameters"], `${at}.parameters`)
    }
    return [matching(made["name"], name, `${at}.name`)]
  })
  unique(names, "The names of tools")
}

const namesJson = (message: unknown): boolean =>
  /json/i.test(JSON.stringify(fieldsOf(message, "messages")["content"] ?? ""))

const format = (body: Fields, provider: string, rules: Rules): void => {
  if (body["response_format"] === undefined) return
  const given = fieldsOf(body["response_format"], "response_format")
  must(
    rules.formats?.includes(String(given["type"])) !== false,
    `This response_format type is unavailable: ${JSON.stringify(given["type"])}`
  )
  must(
    rules.formatWithTools !== false || body["tools"] === undefined || given["type"] === "text",
    "`response_format` cannot be combined with tool/function calling"
  )
  // Cohere has the schema beside it
  must(
    given["type"] !== "json_object" || provider === "cohere" || listOf(body["messages"], "messages").some(namesJson),
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'"
  )
  if (given["type"] !== "json_schema") return
  const schema = fieldsOf(given["json_schema"], "response_format.json_schema")
  if (provider !== "perplexity") matching(schema["name"], name, "response_format.json_schema.name")
  const at = "response_format.json_schema.schema"
  if (schema["schema"] === undefined) return
  if (schema["strict"] === true) Schemas.openAiStrict(schema["schema"], at)
  else {
    Schemas.objectRoot(schema["schema"], at)
    Schemas.plain(schema["schema"], at)
  }
}

export const check = (body: Fields, provider: string): void => {
  wordsOf(body["model"], "model")
  const rules = providers[provider] ?? others
  messages(body, rules)
  tools(body, rules)
  format(body, provider, rules)
}
