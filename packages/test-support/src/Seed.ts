// The seed of all random inputs of tests. It is the same in each run, unless SVC_TEST_SEED has another one.
const given = process.env["SVC_TEST_SEED"] ?? ""

export const seed = given === "" ? 20_261_121 : Number(given)
if (!Number.isSafeInteger(seed)) throw new Error(`SVC_TEST_SEED has to be a whole number, got ${given}`)

/** Numbers from 0 to less than 1 that depend on the seed and on a name. */
export const random = (name: string): () => number => {
  let state = seed
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193)
  state >>>= 0
  return () => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
