// Two parts of a text as one event. Parts that follow each other are joined while they wait for a slow store: then
// words arrive together instead of later and later.

/** Characters of a joined text. It is far smaller than the texts that are stored separately. */
export const maxLength = 4096

/** The places of the two texts of an event: the answer, and the reasoning of the model. */
type Field = "content" | "reasoning_content"

interface Fields {
  readonly [key: string]: unknown
}

/** What an event or a part may have of them. */
export type Texts = { readonly event?: unknown } & { readonly [field in Field]?: unknown }

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** The only text of a part. Undefined if it has two of them, or none. */
export const fieldOf = ({ content, event, reasoning_content: reasoning }: Texts): Field | undefined => {
  if (event !== "RunContent" && event !== "TeamRunContent") return undefined
  if (isText(content)) return isText(reasoning) ? undefined : "content"
  return content === undefined && isText(reasoning) ? "reasoning_content" : undefined
}

/** The only field in which they differ, if it is the text of both: the second then continues the first. */
export const continued = (first: Fields, second: Fields): Field | undefined => {
  const field = fieldOf(second)
  if (field === undefined || field !== fieldOf(first)) return undefined
  for (const key in first) if (!(key in second)) return undefined
  // no copy of their keys is made: this is done for each word
  for (const key in second) if (key !== field && (!(key in first) || first[key] !== second[key])) return undefined
  return field
}

/** Adds the text of a part to an event that is not shown or stored yet. False: it would be too long. */
export const add = (event: Fields, part: Fields, field: Field): boolean => {
  const text = `${event[field]}${part[field]}`
  if (text.length > maxLength) return false
  Object.assign(event, { [field]: text })
  return true
}
