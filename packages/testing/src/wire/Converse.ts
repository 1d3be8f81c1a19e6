// Bedrock's Converse. Sources: the API reference and its error messages.
import { type Fields, fieldsOf, isFields, listOf, matching, must, unique, wordsOf } from "./Rule.ts"
import * as Schemas from "./Schemas.ts"

const name = /^[a-zA-Z0-9_-]{1,64}$/

interface Message {
  readonly role: string
  readonly blocks: ReadonlyArray<Fields>
  readonly at: string
}

const messageOf = (one: unknown, index: number): Message => {
  const at = `messages.${index}`
  const message = fieldsOf(one, at)
  const blocks = listOf(message["content"], `${at}.content`).map((block, place) =>
    fieldsOf(block, `${at}.content.${place}`)
  )
  must(blocks.length > 0, `The content field in the Message object at ${at} is empty`)
  return { role: matching(message["role"], /^(user|assistant)$/, `${at}.role`), blocks, at }
}

const idsOf = (message: Message | undefined, key: string): ReadonlyArray<string> =>
  (message?.blocks ?? []).flatMap((block) => isFields(block[key]) ? [String(block[key]["toolUseId"])] : [])

export const check = (body: Fields): void => {
  const messages = listOf(body["messages"], "messages").map(messageOf)
  must(messages.length > 0, "messages must not be empty")
  must(messages[0]?.role === "user", "A conversation must start with a user message")
  const called: Array<string> = []
  for (const [index, message] of messages.entries()) {
    must(messages[index - 1]?.role !== message.role, `${message.at}: roles must alternate between user and assistant`)
    for (const [place, block] of message.blocks.entries()) {
      const at = `${message.at}.content.${place}`
      if (block["text"] !== undefined) wordsOf(block["text"], `${at}.text`)
      const call = block["toolUse"]
      if (!isFields(call)) continue
      matching(call["toolUseId"], name, `${at}.toolUse.toolUseId`)
      matching(call["name"], name, `${at}.toolUse.name`)
      must(isFields(call["input"]), `${at}.toolUse.input must be an object`)
    }
    const calls = idsOf(message, "toolUse")
    called.push(...calls)
    const answered = idsOf(messages[index + 1], "toolResult")
    const missing = calls.filter((call) => !answered.includes(call))
    must(
      missing.length === 0,
      `Expected toolResult blocks at ${message.at} for the following Ids: ${missing.join(", ")}`
    )
    const results = idsOf(message, "toolResult")
    const before = idsOf(messages[index - 1], "toolUse")
    must(
      results.length === 0 || (results.length === before.length && results.every((result) => before.includes(result))),
      `The number of toolResult blocks at ${message.at} is not that of the toolUse blocks of the previous turn`
    )
  }
  unique(called, "The ids of calls")
  const config = isFields(body["toolConfig"]) ? body["toolConfig"] : undefined
  must(
    called.length === 0 || config !== undefined,
    "The toolConfig field must be defined when using toolUse and toolResult content blocks"
  )
  if (config === undefined) return
  const tools = listOf(config["tools"], "toolConfig.tools")
  must(tools.length > 0, "toolConfig.tools must not be empty")
  unique(
    tools.flatMap((one, index) => {
      const tool = fieldsOf(one, `toolConfig.tools.${index}`)["toolSpec"]
      if (!isFields(tool)) return []
      const schema = fieldsOf(tool["inputSchema"], `toolConfig.tools.${index}.inputSchema`)["json"]
      Schemas.objectRoot(schema, `toolConfig.tools.${index}.inputSchema`)
      Schemas.plain(schema, `toolConfig.tools.${index}.inputSchema`)
      return [matching(tool["name"], name, `toolConfig.tools.${index}.name`)]
    }),
    "The names of tools"
  )
}
