import * as NameList from "@svc-runtime/domain/NameList"
import type { Draft } from "../Document.ts"

const shown = 20

export const listOf = (numbers: ReadonlyArray<number>): string => NameList.first(numbers, shown)

/** Tells the owner of a file which of its pages have no text. */
export const withoutText = (
  page: "Page" | "Slide",
  pictures: string,
  numbers: ReadonlyArray<number>
): ReadonlyArray<Draft> => {
  if (numbers.length === 0) return []
  const list = listOf(numbers)
  const subject = numbers.length === 1 ? `${page} ${list} has` : `${page}s ${list} have`
  return [{ text: "", problem: `${subject} no text. ${pictures} need text recognition first`, emptyPages: numbers }]
}
