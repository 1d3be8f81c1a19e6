// What a caller may choose for a run of any component, beside its input. The options are passed on as one value.
import * as Json from "@svc-runtime/domain/Json"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Schema } from "effect"
import type { RunJournal } from "./journal/RunJournal.ts"

export type SharedOptions = RunOption.Values<typeof RunOption.shared>

type Fields = {
  readonly [Name in keyof SharedOptions]: undefined extends SharedOptions[Name] ? Schema.optionalKey<typeof Json.Object>
    : typeof Json.Object
}

/** As they are stored with a run. */
export const fields = RunOption.fieldsOf<typeof RunOption.shared, Fields>(
  RunOption.shared,
  (option) => option.default === undefined ? Schema.optionalKey(Json.Object) : Json.Object
)

type Stored = Schema.Struct.Type<Fields>

export const encode = (options: SharedOptions): Stored => {
  const stored: { -readonly [Name in keyof SharedOptions]?: Json.Object } = {}
  for (const name of RunOption.namesOf(RunOption.shared)) {
    const value = options[name]
    if (value !== undefined) stored[name] = value
  }
  return stored as Stored
}

export const decode = (stored: Stored): SharedOptions => RunOption.valuesOf(RunOption.shared, stored)

/** The options of a run that is started for another one. The caller sends no session state to it. */
export const ofInnerRun = (options: RunOption.Given<typeof RunOption.given>): SharedOptions =>
  RunOption.valuesOf(RunOption.shared, RunOption.valuesOf(RunOption.given, options))

export const sendsState = ({ session_state }: SharedOptions): boolean => session_state !== undefined

/** The session state of the caller. It was stored when the run paused or failed, and may have changed since. */
export const unstoredState = (
  { session_state }: SharedOptions,
  { resumedAt }: Pick<RunJournal, "resumedAt">
): Json.Object | undefined => resumedAt === undefined ? session_state : undefined
