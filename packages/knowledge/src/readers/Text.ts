import { Effect } from "effect"
import { decode } from "./decoding.ts"
import type { Read } from "./Input.ts"

export const read: Read = (input) => Effect.map(decode(input), (text) => [{ text }])
