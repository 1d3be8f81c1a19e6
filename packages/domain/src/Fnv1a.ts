// A short hash of a text, to tell texts apart: FNV-1a with 32 bits. It is the same on every node and in every version.

export const of = (text: string): string => {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, "0")
}
