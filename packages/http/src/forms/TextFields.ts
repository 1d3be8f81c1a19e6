// Refuses files in fields of a form that are text: they would be media of the input, or have no effect.
import { Errors } from "@svc-runtime/api"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Effect } from "effect"
import type { FormBody } from "./FormBody.ts"

/** Clients send files in them too. */
const media: ReadonlySet<string> = new Set(RunOption.namesOf(RunOption.media))

const msg = "It is text, and was sent as a file: send its content without a file name"

export const check = (
  { files }: Pick<FormBody, "files">,
  known: ReadonlySet<string>
): Effect.Effect<void, Errors.Invalid> => {
  const names = new Set(files.map(({ field }) => field).filter((name) => known.has(name) && !media.has(name)))
  return names.size === 0
    ? Effect.void
    : Effect.fail(Errors.invalid([...names].map((name) => ({ loc: ["body", name], msg, type: "string_type" }))))
}
