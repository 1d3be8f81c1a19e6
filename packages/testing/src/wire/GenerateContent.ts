// Gemini's generateContent. Sources: the API reference, the pages about function calling, thought signatures and
// structured output, and its error messages.
import { type Fields, fieldsOf, isFields, listOf, matching, must, textOf, unique } from "./Rule.ts"
import * as Schemas from "./Schemas.ts"

const name = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/

const data = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse"
]

interface Content {
  readonly role: string
  readonly parts: ReadonlyArray<Fields>
  readonly at: string
}

const contentOf = (one: unknown, index: number): Content => {
  const at = `contents[${index}]`
  const content = fieldsOf(one, at)
  const role = matching(content["role"], /^(user|model)$/, `${at}.role`)
  const parts = listOf(content["parts"], `${at}.parts`).map((part, place) => {
    const path = `${at}.parts[${place}]`
    const fields = fieldsOf(part, path)
    must(
      data.filter((key) => fields[key] !== undefined).length === 1,
      `${path}.data: required oneof field 'data' must have one initialized field`
    )
    if (fields["text"] !== undefined) textOf(fields["text"], `${path}.text`)
    for (const key of ["functionCall", "functionResponse"]) {
      if (fields[key] === undefined) continue
      const called = fieldsOf(fields[key], `${path}.${key}`)
      matching(called["name"], name, `${path}.${key}.name`)
      const value = called[key === "functionCall" ? "args" : "response"]
      must(value === undefined || isFields(value), `${path}.${key} must have an object`)
    }
    return fields
  })
  must(parts.length > 0, `${at}.parts must not be empty`)
  return { role, parts, at }
}

const namesOf = ({ parts }: Content, key: string): ReadonlyArray<string> =>
  parts.flatMap((part) => isFields(part[key]) ? [String(part[key]["name"])] : [])

const turns = (contents: ReadonlyArray<Content>, isGemini3: boolean): void => {
  for (const [index, content] of contents.entries()) {
    const [before, next] = [contents[index - 1], contents[index + 1]]
    const calls = namesOf(content, "functionCall")
    const responses = namesOf(content, "functionResponse")
    must(calls.length === 0 || content.role === "model", `${content.at}: a function call must have the role model`)
    must(
      responses.length === 0 || content.role === "user",
      `${content.at}: a function response must have the role user`
    )
    if (calls.length > 0) {
      must(
        before?.role === "user",
        `${content.at}: Please ensure that function call turn comes immediately after a user turn or after a function response turn`
      )
      const answered = next === undefined ? [] : namesOf(next, "functionResponse")
      must(
        answered.length === calls.length,
        "Please ensure that the number of function response parts is equal to the number of function call parts of " +
          `the function call turn: ${content.at} has ${calls.length}, and what follows ${answered.length}`
      )
      must(
        calls.toSorted().join() === answered.toSorted().join(),
        `${content.at}: the names of the responses (${answered.join(", ")}) are not those of the calls (${
          calls.join(", ")
        })`
      )
      const ids = idsOf(content, "functionCall")
      const answeredIds = next === undefined ? [] : idsOf(next, "functionResponse")
      must(
        ids.length === 0 || answeredIds.length === 0 || ids.toSorted().join() === answeredIds.toSorted().join(),
        `${content.at}: the ids of the responses are not those of the calls`
      )
    }
    if (responses.length > 0) {
      must(
        before !== undefined && namesOf(before, "functionCall").length > 0,
        `${content.at}: Please ensure that function response turn comes immediately after a function call turn`
      )
    }
  }
  if (!isGemini3) return
  const from = contents.findLastIndex((content) =>
    content.role === "user" && namesOf(content, "functionResponse").length === 0
  )
  for (const content of contents.slice(from + 1)) {
    const first = content.parts.find((part) => part["functionCall"] !== undefined)
    must(
      first === undefined || typeof first["thoughtSignature"] === "string",
      `${content.at}: Function call is missing a thought_signature in functionCall parts`
    )
  }
}

const idsOf = ({ parts }: Content, key: string): ReadonlyArray<string> =>
  parts.flatMap((part) => isFields(part[key]) && part[key]["id"] !== undefined ? [String(part[key]["id"])] : [])

const tools = (body: Fields): void => {
  if (body["tools"] === undefined) return
  const names = listOf(body["tools"], "tools").flatMap((one, index) => {
    const declared = fieldsOf(one, `tools[${index}]`)["functionDeclarations"]
    if (declared === undefined) return []
    return listOf(declared, `tools[${index}].functionDeclarations`).map((each, place) => {
      const at = `tools[${index}].functionDeclarations[${place}]`
      const tool = fieldsOf(each, at)
      const schema = tool["parametersJsonSchema"] ?? tool["parameters"]
      if (schema !== undefined) {
        Schemas.objectRoot(schema, `${at}.parameters`)
        Schemas.gemini(schema, `${at}.parameters`)
      }
      return matching(tool["name"], name, `${at}.name`)
    })
  })
  unique(names, "Function names")
}

export const check = (body: Fields, model: string): void => {
  const contents = listOf(body["contents"], "contents").map(contentOf)
  must(contents.length > 0, "contents is not specified")
  turns(contents, /gemini-3/.test(model))
  must(
    contents.at(-1)?.role === "user",
    "Please ensure that multi-turn requests end with a user role or a function response"
  )
  unique(contents.flatMap((content) => idsOf(content, "functionCall")), "The ids of calls")
  if (isFields(body["systemInstruction"])) {
    const parts = listOf(body["systemInstruction"]["parts"], "systemInstruction.parts")
    must(parts.length > 0, "systemInstruction.parts must not be empty")
  }
  tools(body)
  const config = isFields(body["generationConfig"]) ? body["generationConfig"] : {}
  const schema = config["responseJsonSchema"] ?? config["responseSchema"]
  if (schema === undefined) return
  Schemas.gemini(schema, "generationConfig.responseJsonSchema")
  must(
    body["tools"] === undefined || /gemini-[3-9]/.test(model),
    "Function calling with a response mime type: 'application/json' is unsupported"
  )
}
