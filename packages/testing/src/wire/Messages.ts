// Anthropic's Messages. Sources: the API reference, the pages about tools, extended thinking and structured outputs,
// and its error messages.
import { type Fields, fieldsOf, isFields, listOf, matching, must, refuse, textOf, unique, wordsOf } from "./Rule.ts"
import * as Schemas from "./Schemas.ts"

const toolName = /^[a-zA-Z0-9_-]{1,128}$/
const id = /^[a-zA-Z0-9_-]+$/

type Blocks = ReadonlyArray<Fields>

interface Turn {
  readonly role: string
  readonly blocks: Blocks
  readonly at: string
}

const blocksOf = (content: unknown, at: string): Blocks => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  return listOf(content, `${at}.content`).map((block, index) => fieldsOf(block, `${at}.content[${index}]`))
}

/** Messages of one role that follow each other are one turn. */
const turnsOf = (body: Fields): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  for (const [index, one] of listOf(body["messages"], "messages").entries()) {
    const at = `messages.${index}`
    const message = fieldsOf(one, at)
    const role = matching(message["role"], /^(user|assistant)$/, `${at}.role`)
    const blocks = blocksOf(message["content"], at)
    must(blocks.length > 0, `${at}: all messages must have non-empty content`)
    const last = turns.at(-1)
    if (last?.role === role) turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] }
    else turns.push({ role, blocks, at })
  }
  return turns
}

const isResult = ({ type }: Fields): boolean => type === "tool_result"
const isThinking = ({ type }: Fields): boolean => type === "thinking" || type === "redacted_thinking"

const idsOf = (blocks: Blocks, type: string, field: string): ReadonlyArray<string> =>
  blocks.filter((block) => block["type"] === type).map((block) => String(block[field]))

const blockRules = ({ at, blocks, role }: Turn): void => {
  for (const [index, block] of blocks.entries()) {
    const path = `${at}.content.${index}`
    switch (block["type"]) {
      case "text":
        must(
          textOf(block["text"], `${path}.text`).trim() !== "",
          `${path}: text content blocks must contain non-whitespace text`
        )
        break
      case "tool_use":
        must(role === "assistant", `${path}: tool_use blocks can only be in assistant messages`)
        matching(block["id"], id, `${path}.tool_use.id`)
        matching(block["name"], toolName, `${path}.tool_use.name`)
        must(isFields(block["input"]), `${path}.tool_use.input: Input should be a valid dictionary`)
        break
      case "tool_result":
        must(role === "user", `${path}: tool_result blocks can only be in user messages`)
        matching(block["tool_use_id"], id, `${path}.tool_result.tool_use_id`)
        break
      case "thinking":
        textOf(block["thinking"], `${path}.thinking`)
        must(
          typeof block["signature"] === "string" && block["signature"] !== "",
          `${path}.thinking.signature: Field required`
        )
        break
    }
  }
}

/** Each call has its result in the next message, before anything else, and each result its call in the one before. */
const pairs = (turns: ReadonlyArray<Turn>): void => {
  for (const [index, { at, blocks, role }] of turns.entries()) {
    if (role === "assistant") {
      const answered = idsOf(turns[index + 1]?.blocks ?? [], "tool_result", "tool_use_id")
      const missing = idsOf(blocks, "tool_use", "id").filter((call) => !answered.includes(call))
      must(
        missing.length === 0,
        `${at}: tool_use ids were found without tool_result blocks immediately after: ${missing.join(", ")}`
      )
      continue
    }
    const called = idsOf(turns[index - 1]?.blocks ?? [], "tool_use", "id")
    const results = idsOf(blocks, "tool_result", "tool_use_id")
    for (const result of results) {
      must(called.includes(result), `${at}: unexpected tool_use_id found in tool_result blocks: ${result}`)
    }
    unique(results, `${at}: the results of calls`)
    const first = blocks.findIndex((block) => !isResult(block))
    must(first < 0 || !blocks.slice(first).some(isResult), `${at}: tool_result blocks must come first in their message`)
  }
}

/** The current turn: everything after the last message of the user that has more than results. */
const thinking = (body: Fields, turns: ReadonlyArray<Turn>): void => {
  if (!isFields(body["thinking"]) || body["thinking"]["type"] !== "enabled") return
  const { budget_tokens: budget } = body["thinking"]
  must(
    typeof budget === "number" && budget >= 1024,
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
  )
  must(Number(body["max_tokens"]) > budget, "`max_tokens` must be greater than `thinking.budget_tokens`")
  must(
    body["temperature"] === undefined || body["temperature"] === 1,
    "`temperature` may only be set to 1 when thinking is enabled"
  )
  must(body["top_k"] === undefined, "`top_k` must be unset when thinking is enabled")
  const choice = isFields(body["tool_choice"]) ? body["tool_choice"]["type"] : "auto"
  must(choice === "auto" || choice === "none", "Thinking may not be enabled when tool_choice forces tool use")
  const from = turns.findLastIndex(({ blocks, role }) => role === "user" && !blocks.some(isResult))
  const going = turns.slice(from + 1).find(({ role }) => role === "assistant")
  if (going === undefined || !going.blocks.some(({ type }) => type === "tool_use")) return
  const [first] = going.blocks
  must(
    first !== undefined && isThinking(first),
    `${going.at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${
      String(first?.["type"])
    }\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`
  )
}

const tools = (body: Fields, turns: ReadonlyArray<Turn>): void => {
  const usesTools = turns.some(({ blocks }) => blocks.some(({ type }) => type === "tool_use" || type === "tool_result"))
  const all = body["tools"] === undefined ? [] : listOf(body["tools"], "tools")
  must(!usesTools || all.length > 0, "Requests which include `tool_use` or `tool_result` blocks must define tools")
  must(body["tool_choice"] === undefined || all.length > 0, "tool_choice may only be specified while providing tools")
  const names = all.map((one, index) => {
    const at = `tools.${index}`
    const tool = fieldsOf(one, at)
    if (tool["input_schema"] !== undefined) {
      Schemas.objectRoot(tool["input_schema"], `${at}.input_schema`)
      Schemas.plain(tool["input_schema"], `${at}.input_schema`)
      if (tool["strict"] === true) Schemas.claudeStrict(tool["input_schema"], `${at}.input_schema`)
    }
    return matching(tool["name"], toolName, `${at}.name`)
  })
  unique(names, "Tool names")
}

/** Models that take no beginning of their answer. */
const withoutPrefill = /opus-4-[6-9]|sonnet-4-[6-9]|(opus|sonnet|haiku|fable|mythos)-[5-9]/

const ending = (body: Fields, turns: ReadonlyArray<Turn>): void => {
  const last = turns.at(-1)
  if (last?.role !== "assistant") return
  const block = last.blocks.at(-1)
  must(
    !withoutPrefill.test(String(body["model"])),
    "This model does not support assistant message prefill. The conversation must end with a user message"
  )
  if (block?.["type"] === "text") {
    must(
      String(block["text"]).trimEnd() === block["text"],
      "final assistant content cannot end with trailing whitespace"
    )
  }
}

export const check = (body: Fields): void => {
  must(typeof body["max_tokens"] === "number" && body["max_tokens"] > 0, "max_tokens: Field required")
  const turns = turnsOf(body)
  const [first] = turns
  if (first === undefined) return refuse("messages: at least one message is required")
  must(first.role === "user", "messages: first message must use the \"user\" role")
  if (typeof body["system"] === "string") wordsOf(body["system"], "system")
  if (Array.isArray(body["system"])) {
    for (const [index, block] of body["system"].entries()) {
      wordsOf(fieldsOf(block, "system")["text"], `system.${index}.text`)
    }
  }
  for (const turn of turns) blockRules(turn)
  pairs(turns)
  unique(turns.flatMap(({ blocks }) => idsOf(blocks, "tool_use", "id")), "`tool_use` ids")
  thinking(body, turns)
  tools(body, turns)
  ending(body, turns)
  const format = isFields(body["output_config"]) ? body["output_config"]["format"] : undefined
  if (isFields(format) && format["type"] === "json_schema") {
    Schemas.claudeStrict(format["schema"], "output_config.format.schema")
  }
}
