// For whom a run speaks: for people, or, with --json, for a machine.
import { Context } from "effect"

export type Mode = "human" | "json"

export const Mode = Context.Reference<Mode>("@svc/cli/Mode", { defaultValue: () => "human" })
