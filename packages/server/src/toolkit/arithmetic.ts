// Computes a formula, such as `2 * (3 + 4)`. Its own parser: nothing is executed.
import { Data, Result } from "effect"

export class FormulaError extends Data.TaggedError("FormulaError")<{ readonly message: string }> {}

const maxLength = 1000
const maxDepth = 100

const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }

const functions: Readonly<Record<string, (...values: ReadonlyArray<number>) => number>> = {
  abs: (value = Number.NaN) => Math.abs(value),
  ceil: (value = Number.NaN) => Math.ceil(value),
  cos: (value = Number.NaN) => Math.cos(value),
  exp: (value = Number.NaN) => Math.exp(value),
  floor: (value = Number.NaN) => Math.floor(value),
  ln: (value = Number.NaN) => Math.log(value),
  log10: (value = Number.NaN) => Math.log10(value),
  max: (...values) => values.length === 0 ? Number.NaN : Math.max(...values),
  min: (...values) => values.length === 0 ? Number.NaN : Math.min(...values),
  round: (value = Number.NaN) => Math.round(value),
  sin: (value = Number.NaN) => Math.sin(value),
  sqrt: (value = Number.NaN) => Math.sqrt(value),
  tan: (value = Number.NaN) => Math.tan(value)
}

const token = /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|([a-z][a-z0-9]*)|([-+*/%^(),]))/iy

type Token = { readonly kind: "number" | "name" | "sign"; readonly text: string }

const tokensOf = (text: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  token.lastIndex = 0
  const end = text.trimEnd().length
  while (token.lastIndex < end) {
    const from = token.lastIndex
    const [, number, name, sign] = token.exec(text) ?? []
    if (number !== undefined) tokens.push({ kind: "number", text: number })
    else if (name !== undefined) tokens.push({ kind: "name", text: name.toLowerCase() })
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign })
    else throw new FormulaError({ message: `'${text.slice(from, from + 20).trim()}' cannot be read` })
  }
  return tokens
}

/** Reads the formula by the ranks of the signs: + and -, then *, / and %, then a leading -, then ^. */
const evaluate = (tokens: ReadonlyArray<Token>): number => {
  let index = 0
  let depth = 0
  const isSign = (...signs: ReadonlyArray<string>) => {
    const next = tokens[index]
    return next?.kind === "sign" && signs.includes(next.text)
  }
  const take = () => {
    const next = tokens[index++]
    if (next === undefined) throw new FormulaError({ message: "The formula is not complete" })
    return next
  }
  const expect = (sign: string) => {
    if (!isSign(sign)) throw new FormulaError({ message: `'${sign}' is missing` })
    index++
  }
  const nested = <A>(read: () => A): A => {
    if (++depth > maxDepth) throw new FormulaError({ message: "The formula is nested too deeply" })
    const value = read()
    depth--
    return value
  }
  const list = (): ReadonlyArray<number> => {
    expect("(")
    const values = isSign(")") ? [] : [sum()]
    while (isSign(",")) {
      index++
      values.push(sum())
    }
    expect(")")
    return values
  }
  const named = (name: string): number => {
    if (!isSign("(")) {
      if (Object.hasOwn(constants, name)) return constants[name] ?? Number.NaN
      throw new FormulaError({ message: `There is no constant '${name}', only pi and e` })
    }
    const compute = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (compute !== undefined) return compute(...nested(list))
    throw new FormulaError({
      message: `There is no function '${name}'. Functions: ${Object.keys(functions).join(", ")}`
    })
  }
  const atom = (): number => {
    const { kind, text } = take()
    if (kind === "number") return Number(text)
    if (kind === "name") return named(text)
    if (text !== "(") throw new FormulaError({ message: `'${text}' is not expected` })
    const value = nested(sum)
    expect(")")
    return value
  }
  const power = (): number => {
    const base = atom()
    if (!isSign("^")) return base
    index++
    return base ** nested(signed)
  }
  const signed = (): number => {
    if (!isSign("-", "+")) return power()
    const { text } = take()
    const value = nested(signed)
    return text === "-" ? -value : value
  }
  const product = (): number => {
    let value = signed()
    while (isSign("*", "/", "%")) {
      const { text } = take()
      const by = signed()
      value = text === "*" ? value * by : text === "/" ? value / by : value % by
    }
    return value
  }
  const sum = (): number => {
    let value = product()
    while (isSign("+", "-")) value = take().text === "+" ? value + product() : value - product()
    return value
  }
  const value = sum()
  const rest = tokens[index]
  if (rest !== undefined) throw new FormulaError({ message: `'${rest.text}' is not expected` })
  return value
}

export const compute = (formula: string): Result.Result<number, FormulaError> => {
  if (formula.length > maxLength) {
    return Result.fail(new FormulaError({ message: `The formula has more than ${maxLength} characters` }))
  }
  const computed = Result.try({
    try: () => evaluate(tokensOf(formula)),
    catch: (error) =>
      error instanceof FormulaError ? error : new FormulaError({ message: "The formula cannot be read" })
  })
  return Result.flatMap(computed, (value) =>
    Number.isFinite(value)
      ? Result.succeed(value)
      : Result.fail(new FormulaError({ message: "The result is no finite number" })))
}
