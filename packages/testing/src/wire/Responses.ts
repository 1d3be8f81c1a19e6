// OpenAI's Responses, which Azure and xAI speak too. Sources: the API reference and its error messages.
import { argumentsOf, type Fields, fieldsOf, listOf, matching, must, textOf, unique, wordsOf } from "./Rule.ts"
import * as Schemas from "./Schemas.ts"

const name = /^[a-zA-Z0-9_-]{1,64}$/
const id = /^.{1,64}$/s

/** The beginnings of the ids of items. */
const prefixes: Readonly<Record<string, string>> = { reasoning: "rs", message: "msg", function_call: "fc" }

const textParts = ["input_text", "output_text", "refusal"]

const contentOf = (value: unknown, path: string): void => {
  if (typeof value === "string") return
  const parts = listOf(value, path)
  must(parts.length > 0, `${path} must not be an empty list`)
  for (const [index, one] of parts.entries()) {
    const part = fieldsOf(one, `${path}[${index}]`)
    if (part["type"] === "output_text" || part["type"] === "input_text") textOf(part["text"], `${path}[${index}].text`)
    else {must(
        [...textParts, "input_image", "input_file"].includes(part["type"] as string),
        `${path}[${index}].type is ${String(part["type"])}`
      )}
  }
}

const items = (body: Fields, isOpenAi: boolean): void => {
  if (typeof body["input"] === "string") return
  const all = listOf(body["input"], "input").map((one, index) => fieldsOf(one, `input[${index}]`))
  must(all.length > 0, "input must not be empty")
  const called: Array<string> = []
  const answered: Array<string> = []
  for (const [index, item] of all.entries()) {
    const at = `input[${index}]`
    const type = item["type"] ?? (item["role"] === undefined ? undefined : "message")
    const prefix = prefixes[type as string]
    if (isOpenAi && item["id"] !== undefined && prefix !== undefined) {
      must(
        String(item["id"]).startsWith(prefix),
        `${at}.id is ${String(item["id"])}: expected an ID that begins with '${prefix}'`
      )
    }
    switch (type) {
      case "message":
        matching(item["role"], /^(user|assistant|system|developer)$/, `${at}.role`)
        contentOf(item["content"], `${at}.content`)
        break
      case "function_call":
        matching(item["name"], name, `${at}.name`)
        argumentsOf(item["arguments"], `${at}.arguments`)
        called.push(matching(item["call_id"], id, `${at}.call_id`))
        break
      case "function_call_output": {
        const call = textOf(item["call_id"], `${at}.call_id`)
        must(called.includes(call), `No tool call found for function call output with call_id ${call}`)
        must(!answered.includes(call), `The call ${call} has a second output`)
        answered.push(call)
        contentOf(item["output"], `${at}.output`)
        break
      }
      case "reasoning": {
        must(
          body["store"] !== false || typeof item["encrypted_content"] === "string",
          `Item '${String(item["id"])}' not found. Items are not persisted when store is false`
        )
        const next = all[index + 1]
        must(
          next !== undefined && next["type"] !== "function_call_output" && next["role"] !== "user",
          `Item '${String(item["id"])}' of type 'reasoning' was provided without its required following item`
        )
        break
      }
      case "item_reference":
        must(
          body["store"] !== false,
          `Item '${String(item["id"])}' not found. Items are not persisted when store is false`
        )
        break
    }
  }
  unique(called, "The ids of calls")
  const missing = called.filter((call) => !answered.includes(call))
  must(missing.length === 0, `No tool output found for function call ${missing.join(", ")}`)
}

const tools = (body: Fields): void => {
  if (body["tools"] === undefined) {
    must(body["tool_choice"] === undefined, "Tool choices are only allowed when tools are specified")
    return
  }
  const names = listOf(body["tools"], "tools").flatMap((one, index) => {
    const at = `tools[${index}]`
    const tool = fieldsOf(one, at)
    if (tool["type"] !== "function") return []
    if (tool["parameters"] !== undefined && tool["parameters"] !== null) {
      Schemas.objectRoot(tool["parameters"], `${at}.parameters`)
      Schemas.plain(tool["parameters"], `${at}.parameters`)
      if (tool["strict"] === true) Schemas.openAiStrict(tool["parameters"], `${at}.parameters`)
    }
    return [matching(tool["name"], name, `${at}.name`)]
  })
  unique(names, "The names of tools")
}

const format = (body: Fields, isOpenAi: boolean): void => {
  if (body["text"] === undefined) return
  const given = fieldsOf(body["text"], "text")["format"]
  if (given === undefined) return
  const schema = fieldsOf(given, "text.format")
  if (schema["type"] !== "json_schema") return
  matching(schema["name"], name, "text.format.name")
  if (isOpenAi && schema["strict"] === true) Schemas.openAiStrict(schema["schema"], "text.format.schema")
  else {
    Schemas.objectRoot(schema["schema"], "text.format.schema")
    Schemas.plain(schema["schema"], "text.format.schema")
  }
}

export const check = (body: Fields, provider: string): void => {
  // xAI takes other ids of items, and every schema
  const isOpenAi = provider !== "xai"
  wordsOf(body["model"], "model")
  items(body, isOpenAi)
  tools(body)
  format(body, isOpenAi)
}
