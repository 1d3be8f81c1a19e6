/** An id in a path. `..` would change the path however it is encoded, and an empty id would name a whole list. */
export const segment = (id: unknown): string => {
  const text = typeof id === "number" ? String(id) : id
  if (typeof text !== "string" || text === "" || text === "." || text === "..") {
    throw new TypeError(`This is no id: ${JSON.stringify(id)}`)
  }
  return encodeURIComponent(text)
}
