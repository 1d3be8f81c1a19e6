// Draws the seed of the samples of a run of vitest, unless SVC_TEST_SEED has one, and prints it. Workers inherit it.
import { randomInt } from "node:crypto"

export default function setup(): void {
  const seed = process.env["SVC_TEST_SEED"] ??= String(randomInt(2 ** 31))
  const isWhole = process.env["SVC_TEST_WHOLE"] === "true"
  process.stdout.write(isWhole ? `every case; seed ${seed}\n` : `a sample of the cases; seed ${seed}\n`)
}
