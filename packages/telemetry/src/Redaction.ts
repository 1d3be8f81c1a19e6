// Removes credentials from text: of model providers, and of spans. Providers quote the key they refuse, in full, in
// part or behind asterisks, and connection errors quote URLs. All of these are replaced.
//
// A provider may also quote the whole request, which can be megabytes. The text is cut before it is searched, so the
// cost of the patterns is bounded.
import { Redacted } from "effect"

const replacement = "[redacted]"

/** Many times the length of a shown message. */
const longest = 4096

interface Pattern {
  readonly pattern: RegExp
  readonly by: string
  /** Every match contains a match of it, in upper or lower case. It is found faster. */
  readonly hint: RegExp
}

/**
 * Each repetition in these patterns is bounded, so that matching takes linear time. In JSON, the `n` of an escaped line
 * break can be before a credential.
 */
const patterns: ReadonlyArray<Pattern> = [
  {
    pattern: /(?:\b|(?<=\\[bfnrt]))(bearer|basic)\s+[\w.~+/=*-]{6,}/gi,
    by: `$1 ${replacement}`,
    hint: /b(?:earer|asic)\s/i
  },
  {
    pattern:
      /(?:(?<![a-z0-9])|(?<=\\[bfnrt]))(authorization|proxy-authorization|x-api-key|x-goog-api-key|api[-_ ]?key|access[-_ ]?token|account[-_ ]?key|secret|passw(?:or)?d|sig)(\\{0,8}["']?\s*[:=]\s*\\{0,8}["']?)(?!bearer|basic|\[redacted)(?:token\s{1,8})?(?:[^\s"',;}\\]|\\(?!["'])){4,}/gi,
    by: `$1$2${replacement}`,
    hint:
      /a(?:uthorization|pi[-_ ]?key|ccess[-_ ]?token|ccount[-_ ]?key)|s(?:ecret|ig\\{0,8}["']?\s*[:=])|passw(?:or)?d/i
  },
  // Counts, parts of answers and prose have this word, too: a value is long and no number.
  {
    pattern:
      /([tT](?:oken|OKEN))(?<!(?:[pP]age|[nN]ext|[cC]ontinuation)[-_]?.{5})(\\{0,8}["']\s{0,8}[:=]\s{0,8}\\{0,8}["']|=\\{0,8}["']?|\s{1,8}=\s{0,8}\\{0,8}["']|(?<=[-_].{5})\s{0,8}:\s{0,8})(?!\d{1,32}(?!\w)|\[redacted)[^\s"',;}&\\]{8,}/g,
    by: `$1$2${replacement}`,
    hint: /token/i
  },
  // credentials of the service: tokens of accounts and of OAuth, and secrets of webhooks
  { pattern: /svc_(?:pat|oat|ort)_\w{12,}/g, by: replacement, hint: /svc_/i },
  { pattern: /whsec_[\w+/=%-]{12,}/g, by: replacement, hint: /whsec_/i },
  {
    pattern: /(?:\b|(?<=\\[bfnrt]))(?:sk|pk|rk|gsk|xai|hf)[-_][\w*.-]{6,}/g,
    by: replacement,
    hint: /[spr]k[-_]|xai[-_]|hf[-_]/i
  },
  {
    pattern: /(?:\b|(?<=\\[bfnrt]))(?:gh[pousr]|github_pat|glpat|xox[abprs])[-_][\w-]{10,}/g,
    by: replacement,
    hint: /g(?:h[pousr]|ithub_pat|lpat)[-_]|xox/i
  },
  { pattern: /(?:\b|(?<=\\[bfnrt]))AIza[\w*-]{10,}/g, by: replacement, hint: /AIza/i },
  { pattern: /(?:\b|(?<=\\[bfnrt]))(?:AKIA|ASIA)[0-9A-Z]{12,}/g, by: replacement, hint: /A[KS]IA/i },
  { pattern: /(?:\b|(?<=\\[bfnrt]))eyJ[\w-]{6,1024}\.[\w-]{6,}\.[\w-]*/g, by: replacement, hint: /eyJ/i },
  // The visible rest of a key that the provider has masked.
  { pattern: /(?<![\w.-])[\w.-]*\*{3,}[\w.*-]*/g, by: replacement, hint: /\*{3}/i },
  { pattern: /\b([a-z][\w+.-]{0,20}:\/\/)[^\s/?#@]+@/gi, by: `$1${replacement}@`, hint: /:\/\//i },
  {
    pattern: /(\b[a-z][\w+.-]{0,20}:\/\/[^\s?#"']{1,1024})\?[^\s"'#)]*/gi,
    by: `$1?${replacement}`,
    hint: /:\/\//i
  }
]

/** Most texts have none of the hints, which one search finds out. */
const anyHint = new RegExp(patterns.map(({ hint }) => hint.source).join("|"), "i")

const separators = [" ", "\n", "\t", "\"", ","]

/** The beginning of `text`, up to its last whole word: half a credential would not be found. */
const beginningOf = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const kept = text.slice(0, limit)
  const end = Math.max(...separators.map((separator) => kept.lastIndexOf(separator)))
  return `${end === -1 ? replacement : kept.slice(0, end)}…`
}

/** The beginning of `text` without any of `secrets` and without anything that looks like a credential. */
export const redact = (
  text: string,
  secrets: ReadonlyArray<Redacted.Redacted> = [],
  limit = longest
): string => {
  let result = text
  for (const secret of secrets) {
    const value = Redacted.value(secret)
    if (value.length < 4) continue
    // before it is cut: a secret may have spaces in it
    result = result.replaceAll(value, replacement).replaceAll(encodeURIComponent(value), replacement)
  }
  result = beginningOf(result, limit)
  if (!anyHint.test(result)) return result
  for (const { by, hint, pattern } of patterns) {
    if (hint.test(result)) result = result.replace(pattern, by)
  }
  return result
}
