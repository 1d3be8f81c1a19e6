// The versions of the protocol, and how a request names one.
import { Result } from "effect"
import * as A2aError from "./A2aError.ts"

export type Version = "0.3" | "1.0"

/** As the cards state it. */
export const legacyVersion = "0.3.0"

const known: Readonly<Record<string, Version>> = { "0.3": "0.3", "1.0": "1.0" }

export const unsupported = (message: string): A2aError.A2aError =>
  A2aError.make("VERSION_NOT_SUPPORTED", message, { supportedVersions: "0.3, 1.0" })

/** `stated` is the header or the query parameter `A2A-Version`. Nothing, or an empty text, is 0.3. */
export const of = (stated: string | undefined): Result.Result<Version, A2aError.A2aError> => {
  if (stated === undefined || stated.trim() === "") return Result.succeed("0.3")
  const [major = "", minor = ""] = stated.trim().split(".")
  const version = known[`${major}.${minor}`]
  return version === undefined
    ? Result.fail(unsupported(`Version ${stated.slice(0, 20)} of A2A is not supported; 0.3 and 1.0 are`))
    : Result.succeed(version)
}
