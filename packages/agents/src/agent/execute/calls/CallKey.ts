// Keys of the calls of a run, as they are stored: the same in every attempt, and in a fork of the run. With the id of
// the run they are unique, so a tool recognises a repeated call.

/** `step`: the model turn of the run. `index`: the call in that turn. */
export const make = (step: number, index: number): string => `${step}.${index}`

/** One of several runs to which a call was delegated. */
export const part = (key: string, name: string): string => `${key}.${name}`

export const effectId = (run_id: string, key: string): string => `${run_id}.${key}`

/** The key in an effect id of the run. */
export const ofEffect = (run_id: string, id: string): string => id.slice(effectId(run_id, "").length)
