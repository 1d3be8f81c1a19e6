// The syntax of prompts. `{{brand}}` is a variable, `{{brand|our shop}}` one with a default, `{{> tone}}` includes
// another prompt, `{{> tone@3}}` one version of it, and `{{> tone brand="Acme"}}` gives it variables. `\{{` is `{{`
// itself. In the instructions of components only `{{>` has a meaning: other braces are text, as without prompts.
import { Result } from "effect"

export const limits = {
  /** Characters of one prompt. */
  text: 20_000,
  /** Characters of a text with all that it includes. */
  all: 200_000,
  /** Includes in includes. */
  depth: 8,
  /** Includes that one text is made of. */
  includes: 500
} as const

export const nameRule = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export const isName = (name: string): boolean => name.length <= 64 && nameRule.test(name)

export const isVariable = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)

/** A prompt that a text names. Undefined: its latest version. */
export interface Ref {
  readonly name: string
  readonly version: number | undefined
}

export const refText = ({ name, version }: Ref): string => version === undefined ? name : `${name}@${version}`

interface Variable {
  readonly _tag: "Variable"
  readonly name: string
  readonly fallback: string | undefined
}

interface Include extends Ref {
  readonly _tag: "Include"
  readonly given: ReadonlyMap<string, string>
}

export type Part = string | Variable | Include

const include =
  /\{\{>[ \t]*([a-z0-9-]{1,64})(?:@([0-9]{1,9}))?((?:[ \t]+[A-Za-z_]\w{0,63}="(?:[^"\\\n]|\\.){0,5000}")*)[ \t]*\}\}/y
const variable = /\{\{[ \t]*([A-Za-z_]\w{0,63})[ \t]*(?:\|([^{}\n]{0,2000}))?\}\}/y
const value = /([A-Za-z_]\w*)="((?:[^"\\\n]|\\.)*)"/g

const matchAt = (rule: RegExp, text: string, at: number): RegExpExecArray | null => {
  rule.lastIndex = at
  return rule.exec(text)
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length

const unescaped = (text: string): string | undefined => {
  try {
    return JSON.parse(`"${text.replaceAll("\t", "\\t")}"`) as string
  } catch {
    return undefined
  }
}

const includeOf = ([, name = "", version, given = ""]: RegExpExecArray): Include | string => {
  if (!nameRule.test(name)) return `'${name}' cannot be the name of a prompt. Names are such as tone or our-tone`
  if (version !== undefined && Number(version) === 0) return `'${name}@0' is no version. The first one is ${name}@1`
  const values = new Map<string, string>()
  for (const [, key = "", text = ""] of given.matchAll(value)) {
    const read = unescaped(text)
    if (read === undefined) return `the value of '${key}' has an unknown \\. Write \\\\ for a backslash`
    if (values.has(key)) return `'${key}' is given twice to '${name}'. Remove one`
    values.set(key, read)
  }
  return { _tag: "Include", name, version: version === undefined ? undefined : Number(version), given: values }
}

/**
 * The parts of a text, or a sentence that says what to do.
 *
 * @example
 * Template.parse("Hello {{name|you}}", "prompt") // ["Hello ", { _tag: "Variable", name: "name", fallback: "you" }]
 */
export const parse = (text: string, kind: "instructions" | "prompt"): Result.Result<ReadonlyArray<Part>, string> => {
  const parts: Array<Part> = []
  const opening = kind === "prompt" ? "{{" : "{{>"
  let from = 0
  for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, from)) {
    const isEscaped = text[at - 1] === "\\"
    parts.push(text.slice(from, isEscaped ? at - 1 : at))
    if (isEscaped) {
      parts.push(opening)
      from = at + opening.length
      continue
    }
    // counted for a mistake only, and not for each variable
    const line = () => `Line ${lineOf(text, at)}`
    const isInclude = text.startsWith("{{>", at)
    const found = matchAt(isInclude ? include : variable, text, at)
    if (found === null) {
      return Result.fail(
        isInclude
          ? `${line()}: {{> is not followed by the name of a prompt and }}. Write {{> tone}}, {{> tone@3}} or ` +
            "{{> tone brand=\"Acme\"}}, or \\{{> for the characters themselves"
          : `${line()}: {{ is not followed by the name of a variable and }}. Write {{brand}} or {{brand|a default}}, ` +
            "or \\{{ for the characters themselves"
      )
    }
    from = at + found[0].length
    if (!isInclude) {
      parts.push({ _tag: "Variable", name: found[1] ?? "", fallback: found[2]?.trim() })
      continue
    }
    const part = includeOf(found)
    if (typeof part === "string") return Result.fail(`${line()}: ${part}`)
    parts.push(part)
  }
  parts.push(text.slice(from))
  return Result.succeed(parts.filter((part) => part !== ""))
}

/** The names of the variables in it, each once. */
export const variablesOf = (parts: ReadonlyArray<Part>): ReadonlyArray<string> => [
  ...new Set(parts.flatMap((part) => typeof part !== "string" && part._tag === "Variable" ? [part.name] : []))
]

export const includesOf = (parts: ReadonlyArray<Part>): ReadonlyArray<Ref> =>
  parts.flatMap((part) =>
    typeof part !== "string" && part._tag === "Include" ? [{ name: part.name, version: part.version }] : []
  )

/** `unread`: it has to be read first, and the text is made again. */
export type Found = { readonly version: number; readonly parts: ReadonlyArray<Part> } | "unknown" | "unread"
export type Lookup = (ref: Ref) => Found

export interface Expanded {
  readonly text: string
  /** Why it is no text: sentences that say what to do. */
  readonly problems: ReadonlyArray<string>
  /** The versions in it, as `tone@3`. */
  readonly visited: ReadonlyMap<string, ReadonlyArray<Part>>
  /** Variables without a value. */
  readonly missing: ReadonlyMap<string, string>
  /** What is wrong with it, and does no harm in a run: values for variables that are nowhere. */
  readonly unused: ReadonlyArray<string>
}

/** `self`: what the parts are a version of, as `tone@3`. */
export const expand = (parts: ReadonlyArray<Part>, lookup: Lookup, self?: string): Expanded => {
  const problems: Array<string> = []
  const missing = new Map<string, string>()
  const visited = new Map<string, ReadonlyArray<Part>>()
  const unused: Array<string> = []
  let size = 0
  let count = 0

  const sized = (text: string): string => {
    size += text.length
    if (size > limits.all && problems.length === 0) {
      problems.push(`The text has more than ${limits.all} characters with all that it includes. Make a prompt shorter`)
    }
    return text
  }

  const included = (
    { given, name, version }: Include,
    values: ReadonlyMap<string, string>,
    path: ReadonlyArray<string>
  ): readonly [string, ReadonlySet<string>] => {
    const shown = refText({ name, version })
    const nothing = ["", new Set<string>()] as const
    const found = lookup({ name, version })
    if (found === "unread") return nothing
    if (found === "unknown") {
      problems.push(`There is no prompt '${shown}'. Create it first, or correct the name in {{> ${shown}}}`)
      return nothing
    }
    const key = `${name}@${found.version}`
    if (path.includes(key)) {
      const circle = [...path.slice(path.indexOf(key)), key].map((each) => each.slice(0, each.indexOf("@")))
      problems.push(`The prompts include each other in a circle: ${circle.join(" → ")}. Remove one of the includes`)
      return nothing
    }
    if (path.length >= limits.depth) {
      problems.push(`Prompts are included more than ${limits.depth} levels deep. Include '${shown}' at a higher level`)
      return nothing
    }
    if (++count > limits.includes) {
      problems.push(`The text includes more than ${limits.includes} prompts, with nested ones. Include fewer`)
      return nothing
    }
    visited.set(key, found.parts)
    const [text, known] = made(found.parts, new Map([...values, ...given]), [...path, key])
    for (const one of given.keys()) {
      if (known.has(one)) continue
      const names = known.size === 0 ? "It has none" : `It has: ${[...known].join(", ")}`
      unused.push(`The prompt '${shown}' has no variable '${one}'. ${names}`)
    }
    return [text, known]
  }

  const made = (
    parts: ReadonlyArray<Part>,
    values: ReadonlyMap<string, string>,
    path: ReadonlyArray<string>
  ): readonly [string, ReadonlySet<string>] => {
    const known = new Set<string>()
    let text = ""
    for (const part of parts) {
      if (problems.length > 0) break
      if (typeof part === "string") {
        text += sized(part)
      } else if (part._tag === "Variable") {
        known.add(part.name)
        const value = values.get(part.name) ?? part.fallback
        if (value === undefined) missing.set(part.name, path.at(-1) ?? "")
        else text += sized(value)
      } else {
        const [inner, names] = included(part, values, path)
        text += inner
        for (const name of names) known.add(name)
      }
    }
    return [text, known]
  }

  const [text] = made(parts, new Map(), self === undefined ? [] : [self])
  return { text, problems, visited, missing, unused }
}

/** Why a text that nothing can give further variables is none. Undefined: it is one. */
export const problemOf = ({ missing, problems }: Expanded): string | undefined => {
  if (problems[0] !== undefined) return problems[0]
  for (const [name, prompt] of missing) {
    const of = prompt.slice(0, prompt.indexOf("@"))
    return `The variable '${name}' of the prompt '${of}' has no value. Give it one where the prompt is included, as in ` +
      `{{> ${of} ${name}="text"}}, or give it a default in the prompt, as in {{${name}|text}}`
  }
  return undefined
}
