// What publint and attw find wrong in tarballs: entries that node, bundlers or the compiler cannot resolve.
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { readFileSync } from "node:fs"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

/** The packages are ES modules: a `require` of older programs, and resolution before `exports`, are not for them. */
const unsupported: ReadonlyArray<string> = ["node10", "node16-cjs"]

const typeProblems = async (tarball: Uint8Array): Promise<ReadonlyArray<string>> => {
  const analysis = await checkPackage(createPackageFromTarballData(tarball))
  if (analysis.types === false) return []
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
