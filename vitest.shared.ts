// What all tests have in common, whether those of one package run, by its vitest.config.ts, or those of all.
import { availableParallelism } from "node:os"
import { configDefaults, defineProject } from "vitest/config"
// services under test have a console
import "./scripts/ensure-console.mjs"

const isWhole = process.env["SVC_TEST_WHOLE"] === "true"

/** Tests with a browser take a fifth of the time of all. In the fast tier they run when the command names them. */
const hasBrowser = isWhole || process.argv.some((argument) => argument.includes(".browser"))

export const settings = {
  exclude: [
    ...configDefaults.exclude,
    // these files belong to the second tier as a whole
    ...(isWhole ? [] : ["**/*.whole.test.ts"]),
    ...(hasBrowser ? [] : ["**/*.browser.test.ts"])
  ],
  // by default vitest leaves a core idle; many files wait for other processes
  maxWorkers: availableParallelism() + 1,
  // loading Effect takes longer than most files' tests, so files share it: a file leaves the process as it found it
  isolate: false,
  // Node itself loads the modules, as in a service: through Vite they load and run slower
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // embedded databases take memory outside of the heap: without these, V8 collects garbage for each of them, though
  // the heap has none
  execArgv: [
    "--external-memory-accounted-in-global-limit",
    "--initial-old-space-size=1024",
    "--min-semi-space-size=16",
    "--max-semi-space-size=32",
    // workers load the same libraries
    "--import",
    new URL("scripts/compile-cache.mjs", import.meta.url).href
  ],
  // a test that starts processes takes seconds, and many times that on a slow or busy machine; one that tries every
  // case takes minutes
  testTimeout: isWhole ? 900_000 : 300_000,
  hookTimeout: 300_000
}

export const project = (name: string) => defineProject({ test: { name, include: ["test/**/*.test.ts"], ...settings } })
