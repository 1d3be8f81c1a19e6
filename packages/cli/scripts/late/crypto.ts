// Takes the place of `node:crypto` in the bundle: loaded when it is first used, which one run in a hundred does.
import process from "node:process"

export const randomBytes = (size: number): Buffer => process.getBuiltinModule("node:crypto").randomBytes(size)
