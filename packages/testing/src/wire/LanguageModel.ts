// The Vercel AI Gateway, which takes requests as the AI SDK has them and writes those of the provider behind. Sources:
// the schema of the AI SDK for messages, and what the providers behind have in common.
import { type Fields, fieldsOf, isFields, listOf, matching, must, refuse, textOf, unique, wordsOf } from "./Rule.ts"
import * as Schemas from "./Schemas.ts"

const name = /^[a-zA-Z0-9_-]{1,64}$/
const id = /^[a-zA-Z0-9_-]{1,64}$/

const parts: Readonly<Record<string, ReadonlyArray<string>>> = {
  user: ["text", "file"],
  assistant: ["text", "file", "custom", "reasoning", "reasoning-file", "tool-call", "tool-result"],
  tool: ["tool-result", "tool-approval-response"]
}

const outputs = ["text", "json", "error-text", "error-json", "execution-denied", "content"]

const fileOf = (data: unknown, path: string): void => {
  const file = fieldsOf(data, path)
  if (file["type"] === "url") {
    matching(file["url"], /^(https?|data):/, `${path}.url`)
  } else if (file["type"] === "data") {
    matching(file["data"], /^[A-Za-z0-9+/=]*$/, `${path}.data`)
  }
}

const partOf = (part: Fields, role: string, path: string): void => {
  const type = textOf(part["type"], `${path}.type`)
  must(parts[role]?.includes(type) === true, `${path}.type is ${type}, which a message of role ${role} cannot have`)
  if (type === "text" || type === "reasoning") textOf(part["text"], `${path}.text`)
  if (type === "file") {
    wordsOf(part["mediaType"], `${path}.mediaType`)
    fileOf(part["data"], `${path}.data`)
  }
  if (type === "tool-call") {
    matching(part["toolName"], name, `${path}.toolName`)
    must(isFields(part["input"]), `${path}.input must be an object`)
  }
  if (type === "tool-result") {
    const output = fieldsOf(part["output"], `${path}.output`)
    must(outputs.includes(String(output["type"])), `${path}.output.type is ${String(output["type"])}`)
  }
}

/** Each call has one result, before the next message that is no result. */
const messages = (body: Fields): void => {
  const called: Array<string> = []
  let open: Array<string> = []
  const all = listOf(body["prompt"], "prompt")
  must(all.length > 0, "prompt must not be empty")
  for (const [index, one] of all.entries()) {
    const path = `prompt[${index}]`
    const message = fieldsOf(one, path)
    const role = matching(message["role"], /^(system|user|assistant|tool)$/, `${path}.role`)
    if (role !== "tool") must(open.length === 0, `${path} comes before the results of ${open.join(", ")}`)
    if (role === "system") {
      wordsOf(message["content"], `${path}.content`)
      continue
    }
    const content = listOf(message["content"], `${path}.content`)
    must(content.length > 0, `${path}.content must not be empty`)
    for (const [place, each] of content.entries()) {
      const at = `${path}.content[${place}]`
      const part = fieldsOf(each, at)
      partOf(part, role, at)
      if (part["providerExecuted"] === true || role === "user") continue
      if (part["type"] === "tool-call") open.push(matching(part["toolCallId"], id, `${at}.toolCallId`))
      if (part["type"] === "tool-result" && role === "tool") {
        const call = textOf(part["toolCallId"], `${at}.toolCallId`)
        if (!open.includes(call)) refuse(`${at} has a result for ${call}, which no call before it waits for`)
        open = open.filter((each) => each !== call)
        called.push(call)
      }
    }
  }
  must(open.length === 0, `There are no results of ${open.join(", ")}`)
  unique(called, "The ids of calls")
}

const tools = (body: Fields): void => {
  const names = listOf(body["tools"] ?? [], "tools").flatMap((one, index) => {
    const path = `tools[${index}]`
    const tool = fieldsOf(one, path)
    if (tool["type"] !== "function") return []
    Schemas.objectRoot(tool["inputSchema"], `${path}.inputSchema`)
    Schemas.plain(tool["inputSchema"], `${path}.inputSchema`)
    return [matching(tool["name"], name, `${path}.name`)]
  })
  unique(names, "The names of tools")
}

export const check = (body: Fields): void => {
  messages(body)
  tools(body)
  const { responseFormat } = body
  const schema = isFields(responseFormat) ? responseFormat["schema"] : undefined
  if (schema !== undefined) Schemas.plain(schema, "responseFormat.schema")
}
