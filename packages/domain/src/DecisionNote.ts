// The note of a person beside a decision, and a decision that rejects: it has nothing but the note.
import * as Json from "./Json.ts"
import * as NameList from "./NameList.ts"

/** Some clients call the note the reason. */
export const names: ReadonlyArray<string> = ["note", "reason"]

/** Some clients write null for what is not set. */
export const isGiven = (value: Json.Value | undefined): value is Exclude<Json.Value, null> =>
  value !== undefined && value !== null

/** Why the note is none. `among`: a value of the call can have one of the names. */
export const problemIn = (data: Json.Object, among = names): string | undefined => {
  const unfit = among.find((name) => isGiven(data[name]) && typeof data[name] !== "string")
  if (unfit !== undefined) return `${unfit}: it is a text`
  return among.length > 1 && among.every((name) => isGiven(data[name]))
    ? "there are both 'note' and 'reason', which are the same"
    : undefined
}

/** What a form sends whose fields were left empty. */
const isEmpty = (value: Json.Value | undefined): boolean =>
  !isGiven(value) || value === "" || (Json.isObject(value) && Object.values(value).every(isEmpty))

/** What would be lost with a rejection. */
export const rejectionProblemIn = (data: Json.Object): string | undefined => {
  const others = Object.keys(data).filter((key) => !names.includes(key) && !isEmpty(data[key]))
  return others.length === 0
    ? problemIn(data)
    : `there is no ${NameList.first(others.map((name) => `'${name}'`))}: a rejection takes only 'note'`
}
