import { oneLine } from "./table.ts"

/** A comment, beside what it is about. Empty if it says nothing. */
export const commentOf = (text: string): string => {
  const line = oneLine(text)
  return line === "" ? "" : `(Comment: ${line})`
}
