// What publint and attw find wrong in tarballs: entries that node, bundlers or the compiler cannot resolve.
import { checkPackage, createPackageFromTarballData, type Package } from "@arethetypeswrong/core"
import { readFileSync } from "node:fs"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

/** The packages are ES modules: a `require` of older programs, and resolution before `exports`, are not for them. */
const unsupported: ReadonlyArray<string> = ["node10", "node16-cjs"]

/** Programs have no entry points, and nothing imports their files. */
const isLibrary = (tarball: Package): boolean =>
  "exports" in JSON.parse(tarball.readFile(`/node_modules/${tarball.packageName}/package.json`))

const typeProblems = async (data: Uint8Array): Promise<ReadonlyArray<string>> => {
  const tarball = createPackageFromTarballData(data)
  if (!isLibrary(tarball)) return []
  const analysis = await checkPackage(tarball)
  if (analysis.types === false) return ["attw: there are no types"]
  return analysis.problems
    .filter((problem) => !("resolutionKind" in problem && unsupported.includes(problem.resolutionKind)))
    .map((problem) => `attw: ${JSON.stringify(problem)}`)
}

const manifestProblems = async (tarball: Uint8Array): Promise<ReadonlyArray<string>> => {
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
}

/** The problems of a tarball. */
export const problemsOf = async (file: string): Promise<ReadonlyArray<string>> => {
  const tarball = readFileSync(file)
  return [...await manifestProblems(tarball), ...await typeProblems(tarball)]
}
