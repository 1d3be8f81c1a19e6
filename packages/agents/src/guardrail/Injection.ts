// Patterns of texts that try to replace the instructions of a model. Patterns find common attempts, not all of them.
import { hidden } from "./NormalizedText.ts"
import * as TimeSlices from "./TimeSlices.ts"
import type { Parts } from "./TimeSlices.ts"

/** Characters that are not shown split words, and other alphabets imitate letters. */
export const normalized = (text: string): string =>
  text.normalize("NFKC").replaceAll(hidden, "").replaceAll(/\s+/g, " ")

const instructions =
  "(?:instruction|prompt|rule|direction|guideline|command|context|message|constraint|polic(?:y|ie))s?"

const earlier =
  "(?:all|any|every|previous|prior|above|preceding|earlier|foregoing|existing|your|my|the|these|those|of|initial|original|system|safety|security)"

/** Of the model, and not of a machine that a user asks about. */
const own = "(?:your|my|previous|prior|above|preceding|earlier|initial|original|system|hidden|secret)"

export const patterns: ReadonlyArray<RegExp> = [
  new RegExp(
    `\\b(?:ignore|disregard|forget|override|bypass|neglect|skip)\\b (?:${earlier} ){1,5}${instructions}\\b`,
    "i"
  ),
  new RegExp(
    `\\b(?:ignore|disregard|forget) (?:everything|anything|all)(?: that| you)?(?: was| were| have been)?(?: \\w+)?(?: above| before)`,
    "i"
  ),
  new RegExp(`\\bdo not (?:follow|obey|respect) (?:${earlier} ){1,5}${instructions}\\b`, "i"),
  new RegExp(
    `\\b(?:reveal|show|print|repeat|output|display|leak|tell me|give me|what (?:is|are)) (?:${earlier} ){0,4}${own} (?:full |complete |entire |exact |system |initial |hidden |secret ){0,3}(?:prompt|instructions)\\b`,
    "i"
  ),
  /\brepeat (?:the (?:words|text)|everything) above\b/i,
  /\b(?:you are (?:now|no longer)|from now on,? you are) (?:in )?(?:dan\b|developer mode|jailbroken|unrestricted|an? (?:unrestricted|unfiltered|evil)|bound by)/i,
  /\b(?:enable|activate|enter|switch to) (?:developer|debug|god|dan|jailbreak|unrestricted) mode\b/i,
  /\b(?:act|behave|respond|pretend) (?:as if|as though|like) you (?:have|had) no (?:restrictions|rules|limits|filters|guidelines)\b/i,
  /\bwithout (?:any )?(?:restrictions|filters|censorship|ethical guidelines|safety guidelines)\b.{0,40}\b(?:answer|respond|reply|write)\b/i,
  /\bnew (?:system )?instructions? ?:/i,
  /<\|?(?:im_start|im_end|system|endoftext)\|?>|\[\/?INST\]|<<\/?SYS>>/i,
  /(?:^| )#{2,} ?system ?(?:prompt|message|instructions)? ?:/i,
  // German, French, Spanish, Italian, Portuguese
  /\b(?:ignorier(?:e|en|t)?|vergiss|missachte)\b.{0,30}\b(?:anweisung|vorgabe|regel|instruktion)(?:en|n)?\b/i,
  /\b(?:ignore[rsz]?|oublie[rsz]?)\b.{0,30}\b(?:instructions|consignes|règles)\b.{0,20}(?:précédent|ci-dessus|antérieur|système)/i,
  /\b(?:ignora|olvida|omite)\b.{0,30}\b(?:instrucciones|reglas|indicaciones)\b/i,
  /\b(?:ignora|dimentica)\b.{0,30}\b(?:istruzioni|regole)\b/i,
  /\b(?:ignore|esqueça)\b.{0,30}\b(?:instruções|regras)\b/i
]

/** Characters that are read at once: some become eighteen. */
const size = 16_000

/** Of what was read, the longest beginning of a match. */
const shared = 1000

/** After a piece that begins at `from`, and not inside of a character. */
const endOf = (text: string, from: number): number => {
  const end = from + size
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end
}

export function* isInjection(text: string): Parts<boolean> {
  let [kept, from] = ["", 0]
  while (from < text.length) {
    const end = endOf(text, from)
    // white space at the border is one space, as inside
    const plain = (kept + normalized(text.slice(from, end))).replaceAll("  ", " ")
    for (const pattern of patterns) {
      if (plain.length > TimeSlices.short) yield
      if (pattern.test(plain)) return true
    }
    kept = plain.slice(-shared)
    from = end
  }
  return false
}
