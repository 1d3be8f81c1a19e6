import type { Draft } from "../Document.ts"

const shown = 20

/** Tells the owner of a file which of its pages have no text. */
export const withoutText = (
  page: "Page" | "Slide",
  pictures: string,
  numbers: ReadonlyArray<number>
): ReadonlyArray<Draft> => {
  if (numbers.length === 0) return []
  const rest = numbers.length - shown
  const list = `${numbers.slice(0, shown).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`
  const subject = numbers.length === 1 ? `${page} ${list} has` : `${page}s ${list} have`
  return [{ text: "", problem: `${subject} no text. ${pictures} need text recognition first`, emptyPages: numbers }]
}
