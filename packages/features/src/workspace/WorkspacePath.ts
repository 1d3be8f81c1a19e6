// Paths of files in a workspace: from its folder, with `/`. The same rule for models, for callers, and for what
// commands leave behind.

const maxBytes = 500
const maxPart = 255
const maxDepth = 16

/** What is wrong with a path, and what to do. Undefined: it is one. */
export const problemOf = (path: string): string | undefined => {
  if (path === "") return "The path is empty. Give one such as notes/today.txt"
  const shown = path.slice(0, 80)
  if (Buffer.byteLength(path) > maxBytes) return `The path '${shown}…' has more than ${maxBytes} bytes. Shorten it`
  if (path.startsWith("/")) return `The path '${shown}' begins with /. Give it from the workspace, such as notes.txt`
  const parts = path.split("/")
  if (parts.length > maxDepth) return `The path '${shown}' has more than ${maxDepth} parts. Use fewer folders`
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return `The path '${shown}' leads out of the workspace or has empty parts. Write it without . and ..`
  }
  if (parts.some((part) => Buffer.byteLength(part) > maxPart)) return `A part of '${shown}' is too long. Shorten it`
  // eslint-disable-next-line no-control-regex -- they are what is refused
  if (/[\u0000-\u001f\u007f\\\ufffd]/.test(path) || !path.isWellFormed()) {
    return `The path '${shown}' has characters that a path cannot have. Use letters, digits, '.', '_' and '-'`
  }
  return undefined
}

/** How models write it: with the folder of the workspace, or with `./` before it. */
export const normalized = (path: string): string => path.replace(/^\/workspace\//, "").replace(/^(?:\.\/)+/, "")
