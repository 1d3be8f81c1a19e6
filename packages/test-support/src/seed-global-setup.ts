// Prints the seed of the random inputs at the beginning of a run of vitest.
import { seed } from "./Seed.ts"

export default function setup(): void {
  process.stdout.write(`seed of random inputs: ${seed} (SVC_TEST_SEED sets another one)\n`)
}
