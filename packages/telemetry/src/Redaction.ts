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
  /** A match has one of these texts. They are found faster than the pattern. */
  readonly hints?: ReadonlyArray<string>
}

/** Each repetition in these patterns is bounded, so that matching takes linear time. */
const patterns: ReadonlyArray<Pattern> = [
  { pattern: /\b(bearer|basic)\s+[\w.~+/=*-]{6,}/gi, by: `$1 ${replacement}` },
  {
    pattern:
      /(?<![a-z0-9])(authorization|proxy-authorization|x-api-key|x-goog-api-key|api[-_ ]?key|access[-_ ]?token|account[-_ ]?key|secret|passw(?:or)?d|sig)(\\{0,8}["']?\s*[:=]\s*\\{0,8}["']?)(?!bearer|basic|\[redacted)(?:token\s{1,8})?(?:[^\s"',;}\\]|\\(?!["'])){4,}/gi,
    by: `$1$2${replacement}`,
    hints: [":", "="]
  },
  // Counts, parts of answers and prose have this word, too: a value is long and no number.
  {
    pattern:
      /([tT](?:oken|OKEN))(?<!(?:[pP]age|[nN]ext|[cC]ontinuation)[-_]?.{5})(\\{0,8}["']\s{0,8}[:=]\s{0,8}\\{0,8}["']|=\\{0,8}["']?|\s{1,8}=\s{0,8}\\{0,8}["']|(?<=[-_].{5})\s{0,8}:\s{0,8})(?!\d{1,32}(?!\w)|\[redacted)[^\s"',;}&\\]{8,}/g,
    by: `$1$2${replacement}`,
    hints: ["oken", "OKEN"]
  },
  // Of the service itself: tokens of accounts and of OAuth, and secrets of webhooks.
  { pattern: /svc_(?:pat|oat|ort)_\w{12,}/g, by: replacement, hints: ["svc_"] },
  { pattern: /whsec_[\w+/=%-]{12,}/g, by: replacement, hints: ["whsec_"] },
  { pattern: /\b(?:sk|pk|rk|gsk|xai|hf)[-_][\w*.-]{6,}/g, by: replacement, hints: ["-", "_"] },
  {
    pattern: /\b(?:gh[pousr]|github_pat|glpat|xox[abprs])[-_][\w-]{10,}/g,
    by: replacement,
    hints: ["gh", "github_pat", "glpat", "xox"]
  },
  { pattern: /\bAIza[\w*-]{10,}/g, by: replacement, hints: ["AIza"] },
  { pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{12,}/g, by: replacement, hints: ["AKIA", "ASIA"] },
  { pattern: /\beyJ[\w-]{6,1024}\.[\w-]{6,}\.[\w-]*/g, by: replacement, hints: ["eyJ"] },
  // The visible rest of a key that the provider has masked.
  { pattern: /(?<![\w.-])[\w.-]*\*{3,}[\w.*-]*/g, by: replacement, hints: ["***"] },
  { pattern: /\b([a-z][\w+.-]{0,20}:\/\/)[^\s/?#@]+@/gi, by: `$1${replacement}@`, hints: ["://"] },
  {
    pattern: /(\b[a-z][\w+.-]{0,20}:\/\/[^\s?#"']{1,1024})\?[^\s"'#)]*/gi,
    by: `$1?${replacement}`,
    hints: ["://"]
  }
]

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
  for (const { by, hints, pattern } of patterns) {
    if (hints === undefined || hints.some((hint) => result.includes(hint))) result = result.replace(pattern, by)
  }
  return result
}
