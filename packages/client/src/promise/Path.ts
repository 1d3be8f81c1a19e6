/** An id in a path. `..` would change the path however it is encoded, and an empty id would name a whole list. */
export const segment = (id: unknown): string => {
  const text = typeof id === "number" ? String(id) : id
  if (typeof text !== "string" || text === "" || text === "." || text === "..") {
    const hint = id === undefined ? ". A run that is not awaited has none" : ""
    throw new TypeError(
      `This is no id: ${typeof id === "object" && id !== null ? "an object" : JSON.stringify(id)}${hint}`
    )
  }
  return encodeURIComponent(text)
}
