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

/** A bit for each letter and digit of a plain name. Some share one. */
const lettersOf = (name: string): number => {
  let bits = 0
  for (let at = 0; at < name.length; at++) bits |= 1 << (name.charCodeAt(at) & 31)
  return bits
}

/** Whether at most so many bits are set in one number and not in the other. An error changes one at most. */
const differsBy = (most: number, left: number, right: number): boolean => {
  let bits = left & ~right
  for (let errors = 0; errors < most && bits !== 0; errors++) bits &= bits - 1
  return bits === 0
}

/**
 * Finds the known name that is meant by a misspelled one. A known name, or one like no other, has none. Most names
 * differ in their letters: distances of all names of an environment would take a tenth of the start of a service.
 */
export const among = (known: ReadonlySet<string>): (name: string) => string | undefined => {
  const candidates = Array.from(known, (candidate) => {
    const own = plain(candidate)
    return { candidate, own, letters: lettersOf(own), most: allowed(own) }
  })
  return (name) => {
    if (known.has(name) || name.length > longest) return undefined
    const given = plain(name)
    const givenLetters = lettersOf(given)
    let [nearest, least]: [string | undefined, number] = [undefined, Infinity]
    for (const { candidate, letters, most, own } of candidates) {
      if (Math.abs(own.length - given.length) > most) continue
      if (!differsBy(most, givenLetters, letters) || !differsBy(most, letters, givenLetters)) continue
      const errors = isExchanged(given, own) && most > 0 ? 1 : distance(given, own)
      if (errors <= most && errors < least) [nearest, least] = [candidate, errors]
    }
    return nearest
  }
}

/** The same for one name. */
export const meant = (name: string, known: ReadonlySet<string>): string | undefined => among(known)(name)
