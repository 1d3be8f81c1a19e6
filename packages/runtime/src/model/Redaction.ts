// Removes credentials from text that came from a model provider before anybody reads it. Providers like to quote the
// key they refuse, in full, in part or behind asterisks, and connection errors quote URLs; all of it is replaced.
import { Redacted } from "effect"

const replacement = "[redacted]"

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(bearer|basic)\s+[\w.~+/=*-]{6,}/gi, `$1 ${replacement}`],
  [
    /\b(authorization|proxy-authorization|x-api-key|x-goog-api-key|api[-_ ]?key|access[-_ ]?token|secret)(["']?\s*[:=]\s*["']?)(?!bearer|basic|\[redacted)[^\s"',;}]{4,}/gi,
    `$1$2${replacement}`
  ],
  [/\b(?:sk|pk|rk|gsk|xai|hf)[-_][\w*.-]{6,}/g, replacement],
  [/\bAIza[\w*-]{10,}/g, replacement],
  [/\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g, replacement],
  // What is left of a key that was masked by the provider itself.
  [/[\w.-]*\*{3,}[\w.*-]*/g, replacement],
  [/\b([a-z][\w+.-]*:\/\/)[^\s/?#@]+@/gi, `$1${replacement}@`],
  [/(\b[a-z][\w+.-]*:\/\/[^\s?#"']+)\?[^\s"'#)]*/gi, `$1?${replacement}`]
]

/** `text` without any of `secrets` and without anything that looks like a credential. */
export const redact = (text: string, secrets: ReadonlyArray<Redacted.Redacted> = []): string => {
  let result = text
  for (const secret of secrets) {
    const value = Redacted.value(secret)
    if (value.length < 4) continue
    result = result.replaceAll(value, replacement).replaceAll(encodeURIComponent(value), replacement)
  }
  for (const [pattern, by] of patterns) {
    result = result.replace(pattern, by)
  }
  return result
}
