// Finds the known name that an unknown name is probably meant to be.
import * as Similarity from "./scoring/Similarity.ts"

/** Longer names than any known one are not compared. */
const longest = 64

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** How many characters may be inserted, removed or replaced. */
const allowed = (name: string): number => name.length < 4 ? 0 : name.length < 8 ? 1 : 2

const distance = (left: string, right: string): number =>
  Math.round((1 - (Similarity.of(left, right) ?? 0)) * Math.max(left.length, right.length))

/** Two exchanged characters count as one error. */
const isExchanged = (left: string, right: string): boolean => {
  if (left.length !== right.length) return false
  const at = [...left].findIndex((character, index) => character !== right[index])
  return at >= 0 && left.slice(0, at) + left.charAt(at + 1) + left.charAt(at) + left.slice(at + 2) === right
}

/** The known name that is meant by a misspelled one. A known name, or one like no other, has none. */
export const meant = (name: string, known: ReadonlySet<string>): string | undefined => {
  if (known.has(name) || name.length > longest) return undefined
  const given = plain(name)
  let [nearest, least]: [string | undefined, number] = [undefined, Infinity]
  for (const candidate of known) {
    const own = plain(candidate)
    if (Math.abs(own.length - given.length) > allowed(own)) continue
    const errors = isExchanged(given, own) && allowed(own) > 0 ? 1 : distance(given, own)
    if (errors <= allowed(own) && errors < least) [nearest, least] = [candidate, errors]
  }
  return nearest
}
