// Collects all garbage of the thread, of which V8 keeps what it has for its own use otherwise.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** The spaces for new objects become small again too, and code of WebAssembly that may be compiled again is dropped. */
export const collectGarbage = () => {
  setFlagsFromString("--expose-gc")
  const gc: NodeJS.GCFunction = runInNewContext("gc")
  // what Node keeps of compiled code is for the flags of the start
  setFlagsFromString("--no-expose-gc")
  gc({ type: "major", execution: "sync", flavor: "last-resort" })
}
