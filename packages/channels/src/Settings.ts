// The settings of a platform, which an author or a request has written: each mistake is one sentence that says what to
// do.
import { Redacted, Schema } from "effect"

/**
 * A mistake in the settings of a channel. Its message has no secret.
 *
 * @example
 * ```ts
 * throw new SettingsError({ message: "The token of Slack begins with xoxb-. A token with xoxp- is that of a person." })
 * ```
 */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  message: Schema.String
}) {}

/** A secret that an author or a store gives. */
export type Secret = Redacted.Redacted | string

/** What a setting has to be. */
export interface Expected {
  /** With its platform: `The token of Slack`. */
  readonly what: string
  readonly pattern: RegExp
  /** The sentence behind `what`: `begins with xoxb-`. */
  readonly must: string
  /** Where people find it: a sentence. */
  readonly where?: string | undefined
}

const mistake = ({ must, what, where }: Expected, problem = `${what} ${must}`): SettingsError =>
  new SettingsError({ message: where === undefined ? `${problem}.` : `${problem}. ${where}` })

const maxLength = 10_000

/** A setting that may be left out. */
export const optionalText = (value: unknown, expected: Expected): string | undefined => {
  if (value === undefined || value === null) return undefined
  if (typeof value === "string" && value.length <= maxLength && expected.pattern.test(value)) return value
  throw mistake(expected)
}

export const text = (value: unknown, expected: Expected): string => {
  const given = optionalText(value, expected)
  if (given === undefined) throw mistake(expected, `${expected.what} is missing`)
  return given
}

/** A secret that may be left out. */
export const optionalSecret = (value: unknown, expected: Expected): Redacted.Redacted | undefined => {
  const given = optionalText(Redacted.isRedacted(value) ? Redacted.value(value) : value, expected)
  return given === undefined ? undefined : Redacted.make(given)
}

/**
 * A secret as it is used: it is `Redacted` until the last call.
 *
 * @example
 * ```ts
 * const token = secret(settings.token, { what: "The token of Slack", pattern: /^xoxb-/, must: "begins with xoxb-" })
 * ```
 */
export const secret = (value: unknown, expected: Expected): Redacted.Redacted => {
  const given = optionalSecret(value, expected)
  if (given === undefined) throw mistake(expected, `${expected.what} is missing`)
  return given
}

/** The address of the API of a platform: another one is for tests and for proxies. */
export const apiUrl = (value: unknown, platform: string, standard: string): string =>
  (optionalText(value, {
    what: `The address of the API of ${platform}`,
    pattern: /^https?:\/\/[^\s/]+(?:\/\S*)?$/,
    must: "begins with https://"
  }) ?? standard).replace(/(?<!\/)\/+$/, "")
