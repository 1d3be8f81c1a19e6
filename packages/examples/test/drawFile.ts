// The tests of some files start services, which takes seconds each: some of these files are drawn for a run.
import * as Sample from "@svc-runtime/test-support/Sample"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"

const files = [
  "closed",
  "databases",
  "durable",
  "knowledge",
  "memory",
  "migrations",
  "nodes",
  "order",
  "output",
  "quickstart",
  "stopping",
  "storedNodes",
  "summaries"
]

const drawn = Sample.of("files of examples", files, 2)

/** Skips the tests of the file with this URL, unless it is drawn. */
export const drawFile = (url: string): void => {
  const name = basename(fileURLToPath(url), ".test.ts")
  if (!files.includes(name)) throw new Error(`${name} is not in the list of files that are drawn`)
  Sample.skipUnless(drawn.includes(name))
}
