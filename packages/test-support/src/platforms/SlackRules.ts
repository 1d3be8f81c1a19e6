// What Slack refuses of messages and windows: https://docs.slack.dev/reference/block-kit/blocks
export type Values = { readonly [name: string]: unknown }

export interface Problem {
  readonly error: string
  readonly detail: string
}

const isText = (value: unknown, max: number, types: ReadonlyArray<string>): boolean => {
  const { text, type } = (value ?? {}) as Values
  return types.includes(String(type)) && typeof text === "string" && text.length > 0 && text.length <= max
}

const isId = (value: unknown): boolean => value === undefined || (typeof value === "string" && value.length <= 255)

const elementProblem = (element: Values): string | undefined => {
  if (!isId(element["action_id"])) return "must be less than 256 characters [action_id]"
  switch (element["type"]) {
    case "button":
      if (!isText(element["text"], 75, ["plain_text"])) return "must be less than 76 characters [text]"
      return [undefined, "primary", "danger"].includes(element["style"] as string) ? undefined : "[style]"
    case "static_select":
    case "checkboxes": {
      const options = element["options"] as ReadonlyArray<Values>
      if (options.length < 1 || options.length > 100) return "[options]"
      const isGood = options.every(({ text, value }) =>
        isText(text, 75, ["plain_text", "mrkdwn"]) && typeof value === "string" && value.length <= 150
      )
      return isGood ? undefined : "[options]"
    }
    case "number_input":
      return typeof element["is_decimal_allowed"] === "boolean" ? undefined : "missing [is_decimal_allowed]"
    case "plain_text_input":
      return Number(element["max_length"] ?? 1) <= 3000 ? undefined : "[max_length]"
    default:
      return `unsupported type: ${String(element["type"])}`
  }
}

const blockProblem = (block: Values): string | undefined => {
  const elements = (block["elements"] ?? []) as ReadonlyArray<Values>
  if (!isId(block["block_id"])) return "must be less than 256 characters [block_id]"
  switch (block["type"]) {
    case "section":
      return isText(block["text"], 3000, ["plain_text", "mrkdwn"])
        ? undefined
        : "must be less than 3001 characters [text]"
    case "context":
      return elements.length > 0 && elements.length <= 10 &&
          elements.every((one) => isText(one, 3000, ["plain_text", "mrkdwn"]))
        ? undefined
        : "[elements]"
    case "actions":
      if (elements.length < 1 || elements.length > 25) return "no more than 25 items allowed [elements]"
      return elements.map(elementProblem).find((problem) => problem !== undefined)
    case "input":
      if (!isText(block["label"], 2000, ["plain_text"])) return "[label]"
      return elementProblem(block["element"] as Values)
    default:
      return `unsupported type: ${String(block["type"])}`
  }
}

const isUnique = (ids: ReadonlyArray<unknown>): boolean => {
  const given = ids.filter((id) => id !== undefined)
  return new Set(given).size === given.length
}

const blocksProblem = (blocks: ReadonlyArray<Values>, max: number): string | undefined => {
  if (blocks.length > max) return `no more than ${max} items allowed [json-pointer:/blocks]`
  if (!isUnique(blocks.map((block) => block["block_id"]))) return "block_id already exists"
  return blocks.map(blockProblem).find((problem) => problem !== undefined)
}

/** All blocks together: Slack says no number, and refuses from about here. */
const maxBlocks = 13_200

/** Mentions and links are the only text that may stand between `<` and `>`. */
export const messageProblem = (values: Values): Problem | undefined => {
  const { blocks, channel, metadata, text } = values
  if (typeof channel !== "string" || !/^[CDGU]\w+$/.test(channel)) return { error: "channel_not_found", detail: "" }
  const list = (blocks ?? []) as ReadonlyArray<Values>
  if (list.length === 0 && (typeof text !== "string" || text === "")) return { error: "no_text", detail: "" }
  if (typeof text === "string" && text.length > 40_000) return { error: "msg_too_long", detail: "" }
  const problem = blocksProblem(list, 50)
  if (problem !== undefined) return { error: "invalid_blocks", detail: `[ERROR] ${problem}` }
  const size = list.reduce(
    (sum, block) => sum + String((block["text"] as Values | undefined)?.["text"] ?? "").length,
    0
  )
  if (size > maxBlocks) return { error: "msg_blocks_too_long", detail: "" }
  if (metadata === undefined) return undefined
  const { event_payload, event_type } = metadata as Values
  return typeof event_type === "string" && typeof event_payload === "object"
    ? undefined
    : { error: "invalid_metadata_format", detail: "" }
}

export const viewProblem = (view: Values): string | undefined => {
  const blocks = view["blocks"] as ReadonlyArray<Values>
  if (String(view["private_metadata"] ?? "").length > 3000) return "[private_metadata]"
  if (view["type"] === "modal") {
    if (!isText(view["title"], 24, ["plain_text"])) return "must be less than 25 characters [title]"
    if (view["submit"] !== undefined && !isText(view["submit"], 24, ["plain_text"])) return "[submit]"
  }
  return blocksProblem(blocks, 100)
}

/** What a person has filled in, by the ids of the blocks. A required field that is missing cannot be sent. */
export const stateOf = (view: Values, filled: Readonly<Record<string, Values>>) =>
  Object.fromEntries((view["blocks"] as ReadonlyArray<Values>).map((block) => {
    const id = String(block["block_id"])
    const { action_id, type } = block["element"] as Values
    if (filled[id] === undefined && block["optional"] !== true) throw new Error(`The field ${id} is required`)
    return [id, { [String(action_id)]: { type, ...filled[id] } }]
  }))
