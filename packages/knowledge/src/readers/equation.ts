// Equations of Office as a line: `(a+b)/c=x^2`.
import { attributeOf } from "./attributeOf.ts"

const childOf = (element: Element, name: string): Element | undefined =>
  Array.from(element.children).find(({ tagName }) => tagName === name)

/** The property of an element, such as the sign of a sum. */
const signOf = (element: Element, properties: string, name: string, otherwise: string): string => {
  const parent = childOf(element, properties)
  const sign = parent === undefined ? undefined : childOf(parent, name)
  return sign === undefined ? otherwise : attributeOf(sign, "m:val")
}

const grouped = (text: string): string => /^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`

const partOf = (element: Element, name: string): string => {
  const part = childOf(element, name)
  return part === undefined ? "" : lineOf(part)
}

const groupOf = (element: Element, name: string): string => grouped(partOf(element, name))

const partsOf = (element: Element, name: string): ReadonlyArray<string> =>
  Array.from(element.children).filter(({ tagName }) => tagName === name).map(lineOf)

const below = (text: string): string => text === "" ? "" : `_${text}`
const above = (text: string): string => text === "" ? "" : `^${text}`

const scriptsOf = (element: Element): string => below(groupOf(element, "m:sub")) + above(groupOf(element, "m:sup"))

const withScripts = (element: Element): string => groupOf(element, "m:e") + scriptsOf(element)

const elements: Readonly<Record<string, (element: Element) => string>> = {
  "m:t": ({ textContent }) => textContent,
  "m:f": (element) => `${groupOf(element, "m:num")}/${groupOf(element, "m:den")}`,
  "m:sSup": withScripts,
  "m:sSub": withScripts,
  "m:sSubSup": withScripts,
  "m:sPre": (element) => scriptsOf(element) + groupOf(element, "m:e"),
  "m:rad": (element) => {
    const degree = groupOf(element, "m:deg")
    return `${degree === "" ? "sqrt" : `root_${degree}`}(${partOf(element, "m:e")})`
  },
  "m:nary": (element) => `${signOf(element, "m:naryPr", "m:chr", "∫")}${scriptsOf(element)} ${partOf(element, "m:e")}`,
  "m:d": (element) => {
    const [begin, end, between] = [["m:begChr", "("], ["m:endChr", ")"], ["m:sepChr", "|"]].map((
      [name = "", sign = ""]
    ) => signOf(element, "m:dPr", name, sign))
    return `${begin}${partsOf(element, "m:e").join(between)}${end}`
  },
  "m:func": (element) => `${partOf(element, "m:fName")} ${partOf(element, "m:e")}`,
  "m:limLow": (element) => partOf(element, "m:e") + below(groupOf(element, "m:lim")),
  "m:limUpp": (element) => partOf(element, "m:e") + above(groupOf(element, "m:lim")),
  "m:acc": (element) => partOf(element, "m:e") + signOf(element, "m:accPr", "m:chr", "\u0302"),
  "m:m": (element) => partsOf(element, "m:mr").join("; "),
  "m:mr": (element) => partsOf(element, "m:e").join(", "),
  "m:eqArr": (element) => partsOf(element, "m:e").join("; ")
}

/** The line of an element `m:oMath`. */
export function lineOf(element: Element): string {
  if (element.tagName.endsWith("Pr")) return ""
  return elements[element.tagName]?.(element) ?? Array.from(element.children, lineOf).join("")
}
