// A process that was started with a descriptor, and executes a command which looks for it.
import * as Sandbox from "../Sandbox.ts"

const [, , command = ""] = process.argv

const place = await Sandbox.local().open("session")
const { output } = await place.run({
  command,
  timeoutMillis: 10_000,
  quota: { bytes: 1_000_000, files: 10 },
  outputBytes: 2000,
  skills: [],
  onOutput: () => {},
  signal: new AbortController().signal
})
await place.close()
process.stdout.write(output)
