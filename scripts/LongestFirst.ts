// The order of the test files. Files that start services or databases take longest, whatever their size, so they come
// first: a long file that starts last leaves the other workers idle.
import { BaseSequencer, type TestSpecification } from "vitest/node"

const first = [
  ...["outages", "freezes.test", "poison", "errors", "versions"].map((file) => `chaos/${file}`),
  "packages/examples/",
  "packages/postgres/",
  "packages/cli/"
]

const rank = ({ moduleId }: TestSpecification): number => {
  const index = first.findIndex((part) => moduleId.includes(part))
  return index === -1 ? first.length : index
}

export default class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
