// Formats epoch seconds for people.
import { DateTime, Option } from "effect"

/** `2026-11-21 14:35 UTC`; `-` for none and for invalid numbers. */
export const shown = (seconds: number | null): string =>
  Option.match(seconds === null ? Option.none() : DateTime.make(seconds * 1000), {
    onNone: () => "-",
    onSome: (instant) => `${DateTime.formatIso(instant).slice(0, 16).replace("T", " ")} UTC`
  })
