// The code with which a person shows which user of the service they are. Only its hash is stored.
import { createHash, randomInt } from "node:crypto"

/** Without letters and digits that look like others. */
const alphabet = "ABCDEFGHJKMNPQRSTVWXYZ23456789"

const length = 10

/** Seconds. */
export const lifetime = 600

/** As people read it: two groups of five. */
export const make = (): string => {
  const letters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)])
  return `${letters.slice(0, 5).join("")}-${letters.slice(5).join("")}`
}

/** The same for each way to write the code. */
export const hash = (code: string): string =>
  createHash("sha256").update(code.toUpperCase().replace(/[^A-Z0-9]/g, "")).digest("hex")
