// The text of the OpenAPI document in the repository. A value that fits into 120 columns is one line. Other values have
// a line for each member, without indentation. So a changed field, parameter or response is one changed line.
const columns = 120

const valueText = (value: unknown, prefix: string): string => {
  const line = prefix + JSON.stringify(value)
  if (line.length <= columns || typeof value !== "object" || value === null) return line
  const [open, members, close] = Array.isArray(value)
    ? ["[", value.map((member) => valueText(member, "")), "]"]
    : ["{", Object.entries(value).map(([name, member]) => valueText(member, `${JSON.stringify(name)}: `)), "}"]
  return `${prefix}${open}\n${members.join(",\n")}\n${close}`
}

export const contractText = (document: unknown): string => `${valueText(document, "")}\n`
