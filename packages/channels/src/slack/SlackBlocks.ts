// Messages, forms and the page of the agent as blocks: https://docs.slack.dev/block-kit
import type * as Json from "@svc-runtime/domain/Json"
import type { Choice, Field, OutgoingMessage, Prompt } from "../Adapter.ts"
import * as SlackText from "./SlackText.ts"

/** Characters of a section. */
const maxSection = 3000

/**
 * Characters of a message. Slack refuses all of its blocks together beyond about 13,000, and says no number.
 */
export const maxText = 12_000

/** Characters of the text of notifications, which is not shown with blocks. */
const maxFallback = 3000

const maxStatus = 300
const maxButton = 75
const maxTitle = 24
const maxLabel = 2000
const maxBlocks = 100
const maxOptions = 100
const maxOption = 75
const maxValue = 150
const maxId = 255
const maxInput = 3000

/** Buttons of a row. */
const maxRow = 25

type Block = Json.Object

/** Whole characters only: half of a pair is no text. */
const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const end = text.charCodeAt(max - 2) >= 0xd800 && text.charCodeAt(max - 2) <= 0xdbff ? max - 2 : max - 1
  return `${text.slice(0, end)}…`
}

const plain = (text: string, max: number): Block => ({ type: "plain_text", text: cut(text, max), emoji: false })

/** Names in a text are no mentions, unless they are written as such, which a text of an agent cannot do. */
const mrkdwn = (text: string): Block => ({ type: "mrkdwn", text, verbatim: true })

/** The whole text is shown: a long section would be folded. One that shows nothing would be refused. */
const sections = (markdown: string): ReadonlyArray<Block> =>
  SlackText.split(markdown, maxSection).map(SlackText.render).filter((text) => text.trim() !== "")
    .map((text) => ({ type: "section", text: mrkdwn(text), expand: true }))

/** What is written in actions and forms of an agent: others are those of other programs. */
export const mark = "svc"

/** What a button says about itself when it is pressed. */
const actionOf = (prompt: string, choice: string): string => `${mark}:${prompt}:${choice}`

export interface Pressed {
  readonly prompt: string
  readonly choice: string
}

/** Undefined: it is no button of a prompt. */
export const pressed = (action: string): Pressed | undefined => {
  const [, prompt, choice] = /^svc:(\w{1,24}):(\w{1,20})$/.exec(action) ?? []
  return prompt === undefined || choice === undefined ? undefined : { prompt, choice }
}

const button = (prompt: string, { id, label, style }: Choice): Block => ({
  type: "button",
  action_id: actionOf(prompt, id),
  text: plain(label, maxButton),
  ...(style !== "plain" && { style })
})

const rows = ({ choices, id }: Prompt): ReadonlyArray<Block> =>
  Array.from({ length: Math.ceil(choices.length / maxRow) }, (_, row) => ({
    type: "actions",
    block_id: `${mark}:${id}:${row}`,
    elements: choices.slice(row * maxRow, (row + 1) * maxRow).map((choice) => button(id, choice))
  }))

/** In small grey letters. */
const statusOf = (status: string): Block => ({
  type: "context",
  elements: [plain(status.replaceAll(/\s+/g, " ").trim(), maxStatus)]
})

/** A message without anything would be refused. */
const nothing = "…"

/** The text for notifications, and the blocks that people see. */
export const messageOf = ({ prompt, status, text }: OutgoingMessage) => {
  const blocks = [
    ...sections(text),
    ...(status === undefined || status.trim() === "" ? [] : [statusOf(status)]),
    ...(prompt === undefined ? [] : rows(prompt))
  ]
  const fallback = cut(SlackText.render(text === "" ? status ?? "" : text), maxFallback)
  return { text: fallback.trim() === "" ? nothing : fallback, blocks }
}

export const homeOf = (markdown: string): ReadonlyArray<Block> => sections(markdown).slice(0, maxBlocks)

const option = (text: string): Block => ({ text: plain(text, maxOption), value: text })

const isOn = (value: string | undefined): boolean => value === "true"

/** The id of an input that has a value: when it is emptied, its field is an empty text. */
export const filled = "filled"

const inputOf = ({ label, options = [], type, value }: Field): Block => {
  const isEmpty = value === undefined || value === ""
  const action_id = isEmpty ? "empty" : filled
  switch (type) {
    case "text":
    case "paragraph":
      return {
        type: "plain_text_input",
        action_id,
        multiline: type === "paragraph" || value?.includes("\n") === true,
        max_length: maxInput,
        ...(!isEmpty && { initial_value: value })
      }
    case "number":
      return {
        type: "number_input",
        action_id,
        is_decimal_allowed: true,
        ...(!isEmpty && Number.isFinite(Number(value)) && { initial_value: value })
      }
    case "boolean":
      return {
        type: "checkboxes",
        action_id,
        options: [{ text: plain(label, maxOption), value: "true" }],
        ...(isOn(value) && { initial_options: [{ text: plain(label, maxOption), value: "true" }] })
      }
    case "choice":
      return {
        type: "static_select",
        action_id,
        options: options.map(option),
        ...(!isEmpty && options.includes(value) && { initial_option: option(value) })
      }
  }
}

/** An unchecked box is an answer, which Slack would not accept if it were required. */
const isOptional = ({ isRequired, type }: Field): boolean => type === "boolean" || !isRequired

const fits = ({ name, options = [], type, value = "" }: Field): boolean => {
  // a value that is cut would be sent as if the person had changed it
  if (name === "" || name.length > maxId || value.length > maxInput) return false
  if (type !== "choice") return true
  return options.length > 0 && options.length <= maxOptions &&
    options.every((option) => option !== "" && option.length <= maxValue)
}

/** What the form is about, and where its answer belongs. It is the private text of the form. */
export interface About extends Pressed {
  readonly thread: string
  readonly place: Json.Object
  readonly isDirect: boolean
}

const maxAbout = 3000

/** A form in a window. Undefined: Slack has no input for one of its fields, so that people answer by text. */
export const modalOf = (about: About, { form, label }: Choice): Json.Object | undefined => {
  if (form === undefined || form.fields.length === 0 || form.fields.length > maxBlocks) return undefined
  const text = JSON.stringify(about)
  if (!form.fields.every(fits) || text.length > maxAbout) return undefined
  return {
    type: "modal",
    callback_id: mark,
    private_metadata: text,
    title: plain(form.title === "" ? label : form.title, maxTitle),
    submit: plain(label, maxTitle),
    close: plain("Cancel", maxTitle),
    blocks: form.fields.map((field) => ({
      type: "input",
      block_id: field.name,
      label: plain(field.label === "" ? field.name : field.label, maxLabel),
      optional: isOptional(field),
      element: inputOf(field)
    }))
  }
}
