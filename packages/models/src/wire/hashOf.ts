// A short name of a text. It is no secret: the name of a guessed text can be compared with it.

/** 32 digits. */
export const hashOf = (text: string): string => {
  const lane = (seed: number): string => {
    let state = seed
    for (let index = 0; index < text.length; index++) {
      state = Math.imul(state ^ text.charCodeAt(index), 0x01000193)
      state ^= state >>> 13
    }
    return (Math.imul(state ^ (state >>> 16), 0x85ebca6b) >>> 0).toString(16).padStart(8, "0")
  }
  return [0x811c9dc5, 0x9e3779b9, 0x7f4a7c15, 0x2545f491].map(lane).join("")
}
