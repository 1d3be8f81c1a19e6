// Two parts of a text as one event. Parts that follow each other are joined while they wait for a slow store: then
// words arrive together instead of later and later.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"

/** Characters of a joined text. It is far smaller than the texts that are stored separately. */
export const maxLength = 4096

/** The places of the two texts of an event: the answer, and the reasoning of the model. */
const fields = ["content", "reasoning_content"] as const

type Fields = Readonly<Record<string, unknown>>

const isPart = ({ event }: RunEvent.RunEvent): boolean => event === "RunContent" || event === "TeamRunContent"

const textIn = (event: Fields, field: string): string | undefined => {
  const text = event[field]
  return typeof text === "string" && text !== "" ? text : undefined
}

/** The only text of an event. Undefined if it has two of them, or none. */
const fieldOf = (event: Fields): string | undefined => {
  const [field, ...others] = fields.filter((field) => textIn(event, field) !== undefined)
  return others.length === 0 ? field : undefined
}

/** Whether only the text and the place of the second differ. */
const isSame = (first: Fields, second: Fields, text: string): boolean => {
  const keys = Object.keys(second)
  return keys.length === Object.keys(first).length &&
    keys.every((key) =>
      key === text || key === "event_index" || key === "created_at" || (key in first && first[key] === second[key])
    )
}

/** Has the place and the time of the first. Undefined: they are not parts of one text, or it would be too long. */
export const of = <A extends RunEvent.RunEvent>(first: A, second: RunEvent.RunEvent): A | undefined => {
  if (!isPart(first) || !isPart(second)) return undefined
  const [before, after]: readonly [Fields, Fields] = [first, second]
  const field = fieldOf(after)
  if (field === undefined || field !== fieldOf(before) || !isSame(before, after, field)) return undefined
  const text = `${textIn(before, field)}${textIn(after, field)}`
  return text.length > maxLength ? undefined : { ...first, [field]: text }
}
