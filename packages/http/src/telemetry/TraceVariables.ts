// Reads the environment variables of OpenTelemetry. As its specification asks, a value that is not supported is ignored
// with a warning.
import * as NameList from "@svc-runtime/domain/NameList"
import { Result } from "effect"
import { shown } from "../config/EnvironmentSettings.ts"

/** A form of values. */
export interface Form<A> {
  readonly expected: string
  /** Undefined: the value does not have the form. */
  readonly parse: (text: string) => A | undefined
}

/** One of these values, in any case. */
export const oneOf = <const A extends string>(values: ReadonlyArray<A>): Form<A> => ({
  expected: NameList.all(values, "or"),
  parse: (text) => values.find((value) => value === text.toLowerCase())
})

export const flag: Form<boolean> = {
  expected: "true or false",
  parse: (text) => {
    const spelling = text.toLowerCase()
    return spelling === "true" || (spelling === "false" ? false : undefined)
  }
}

export const count: Form<number> = {
  expected: "a whole number of at least 1",
  parse: (text) => /^\d{1,15}$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}

export const ratio: Form<number> = {
  expected: "a number from 0 to 1",
  parse: (text) => Number(text) >= 0 && Number(text) <= 1 ? Number(text) : undefined
}

export const url: Form<string> = {
  expected: "a URL with http or https, such as http://localhost:4318",
  parse: (text) => /^https?:\/\//.test(text) && URL.canParse(text) ? text : undefined
}

export type Pairs = Readonly<Record<string, string>>

const pairOf = (entry: string): readonly [string, string] | undefined => {
  const at = entry.indexOf("=")
  if (at <= 0) return undefined
  const decoded = Result.try(() =>
    [entry.slice(0, at), entry.slice(at + 1)].map((part) => decodeURIComponent(part.trim()))
  )
  return Result.isSuccess(decoded) ? [decoded.success[0] ?? "", decoded.success[1] ?? ""] : undefined
}

export const pairs: Form<Pairs> = {
  expected: "pairs such as key1=value1,key2=value2, with % for special characters",
  parse: (text) => {
    const found = text.split(",").filter((entry) => entry.trim() !== "").map(pairOf)
    return found.includes(undefined) ? undefined : Object.fromEntries(found.filter((pair) => pair !== undefined))
  }
}

/** Headers of the connection and of the body are set by the exporter. */
const reserved =
  /^(?:connection|content-(?:encoding|length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

/** With any others, no request could be made. */
const isHeader = ([name, value]: readonly [string, string]): boolean =>
  /^[a-z0-9!#$%&'*+.^_`|~-]+$/i.test(name) && !reserved.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

export const headers: Form<Pairs> = {
  expected: "names and values that headers can have, such as authorization=Basic%20cGs6c2s=",
  parse: (text) => {
    const found = pairs.parse(text)
    return found !== undefined && Object.entries(found).every(isHeader) ? found : undefined
  }
}

/** `names` are those of the variables, of which the first one that is set counts. */
export const make = (values: Readonly<Record<string, string | undefined>>) => {
  const warnings: Array<string> = []
  const problems: Array<string> = []
  const textOf = (name: string): string | undefined => values[name]?.trim()

  const ignored = (name: string, value: string, expected: string): void =>
    void warnings.push(
      `${name}${shown(name, value)} is not supported and is ignored. Set it to ${expected}, or unset it`
    )

  return {
    /** What the log has to say. */
    warnings,
    /** Why the service cannot start. */
    problems,
    has: (...names: ReadonlyArray<string>): boolean => names.some((name) => textOf(name) !== undefined),
    /** Undefined: no variable has a value that is supported. */
    optional: <A>({ expected, parse }: Form<A>, ...names: ReadonlyArray<string>): A | undefined => {
      for (const name of names) {
        const text = textOf(name)
        if (text === undefined) continue
        const value = parse(text)
        if (value !== undefined) return value
        ignored(name, text, expected)
      }
      return undefined
    },
    /** The values of a list that are supported. Undefined: there are none. */
    listOf: <A>({ expected, parse }: Form<A>, name: string): ReadonlyArray<A> | undefined => {
      const entries = textOf(name)?.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "") ?? []
      const found = entries.flatMap((entry) => {
        const value = parse(entry)
        if (value === undefined) ignored(name, entry, expected)
        return value ?? []
      })
      return found.length === 0 ? undefined : found
    },
    /** Another value stops the start. */
    required: <A>({ expected, parse }: Form<A>, ...names: ReadonlyArray<string>): A | undefined => {
      const name = names.find((each) => textOf(each) !== undefined)
      const text = name === undefined ? undefined : textOf(name)
      if (name === undefined || text === undefined) return undefined
      const value = parse(text)
      if (value === undefined) problems.push(`${name}${shown(name, text)}: expected ${expected}`)
      return value
    }
  }
}
