// The values of the forms of a PDF page, and the texts of its annotations.
import { commentOf } from "./comment.ts"
import { oneLine } from "./table.ts"

/** As the library has it. */
interface Annotation {
  readonly subtype?: string
  readonly annotationFlags?: number
  readonly contentsObj?: { readonly str?: string }
  readonly fieldName?: string
  readonly alternativeText?: string
  readonly fieldType?: "Btn" | "Ch" | "Sig" | "Tx"
  readonly fieldValue?: string | ReadonlyArray<string> | null
  readonly password?: boolean
  readonly pushButton?: boolean
  readonly radioButton?: boolean
  readonly buttonValue?: string | null
  readonly options?: ReadonlyArray<{ readonly exportValue?: string | null; readonly displayValue?: string | null }>
}

/** Invisible, or hidden. */
const hiddenFlags = 0b11

const isHidden = ({ annotationFlags = 0 }: Annotation): boolean => (annotationFlags & hiddenFlags) !== 0

/** `form[0].page[0].name[0]` is `name`. */
const nameOf = ({ alternativeText = "", fieldName = "" }: Annotation): string =>
  oneLine(alternativeText) || (fieldName.split(".").at(-1) ?? "").replace(/\[\d+\]$/, "")

const valueOf = (field: Annotation): string => {
  const { buttonValue, fieldType, fieldValue, options = [], password, pushButton, radioButton } = field
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter((value) => typeof value === "string")
  if (password === true || pushButton === true || fieldType === "Sig") return ""
  if (fieldType === "Btn") {
    const [value = "Off"] = values
    // each button of a group has the value of the group
    return value === "Off" || (radioButton === true && buttonValue !== value) ? "" : value
  }
  const names = new Map(options.map(({ displayValue, exportValue }) => [exportValue, displayValue]))
  return values.map((value) => names.get(value) ?? value).join(", ")
}

const lineOf = (annotation: Annotation): string => {
  const { contentsObj, subtype } = annotation
  if (isHidden(annotation) || subtype === "Link" || subtype === "Popup") return ""
  const text = contentsObj?.str ?? ""
  if (subtype === "FreeText") return oneLine(text)
  if (subtype !== "Widget") return commentOf(text)
  const [name, value] = [nameOf(annotation), oneLine(valueOf(annotation))]
  return value === "" || name === "" ? value : `${name}: ${value}`
}

/** What the annotations of a page add to it, in characters: thousands of them can share one text. */
const maxAdded = 1024 * 1024

/** A line for each field with a value, and for each annotation with a text. */
export const textOf = (annotations: ReadonlyArray<Annotation>): string => {
  const lines: Array<string> = []
  let added = 0
  for (
    const annotation of annotations.toSorted((one, other) =>
      Number(one.subtype !== "Widget") - Number(other.subtype !== "Widget")
    )
  ) {
    const line = lineOf(annotation)
    if (line !== "") lines.push(line)
    added += line.length
    if (added > maxAdded) break
  }
  return lines.join("\n")
}
