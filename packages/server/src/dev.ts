// `npm run dev`: node --import @svc-runtime/server/dev FILE. It executes the program in another process, and starts it
// again when one of its files changes. The other processes load this module before the program too.
// @effect-diagnostics processEnv:off -- Effect is loaded later, from the compiled code
import "./npmStart.ts"
import { processMark } from "./development/processMark.ts"

if (process.env[processMark] === undefined) {
  const { superviseProgram } = await import("./development/superviseProgram.ts")
  const [, program = "", ...args] = process.argv
  // never over: the program is not executed in this process
  await superviseProgram({ preload: import.meta.url, program, args })
} else {
  const { waitForStart } = await import("./development/waitForStart.ts")
  await waitForStart()
}
