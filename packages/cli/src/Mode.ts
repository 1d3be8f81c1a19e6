// The mode of output: text for people, or with --json a document for scripts.
import { Context } from "effect"

export type Mode = "human" | "json"

export const Mode = Context.Reference<Mode>("@svc-runtime/cli/Mode", { defaultValue: () => "human" })
