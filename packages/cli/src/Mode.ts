// Whether a command prints for people, or with --json for scripts.
import { Context } from "effect"

export type Mode = "human" | "json"

export const Mode = Context.Reference<Mode>("@svc-runtime/cli/Mode", { defaultValue: () => "human" })
