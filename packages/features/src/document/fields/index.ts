// All fields. A name is described in one of the files, or beside the endpoints that alone have it.
import type { Fields } from "@svc-runtime/api/documentation/Field"
import { texts } from "../../Api.ts"
import { common } from "./common.ts"
import { commonNames } from "./commonNames.ts"
import { components } from "./components.ts"
import { evaluations } from "./evaluations.ts"
import { events } from "./events.ts"
import { knowledge } from "./knowledge.ts"
import { operations } from "./operations.ts"
import { pauses } from "./pauses.ts"
import { runs } from "./runs.ts"

const ofEndpoints = Object.values(texts).map((each) => each.fields ?? {})

export const groups: ReadonlyArray<Fields> = [
  common,
  commonNames,
  runs,
  events,
  pauses,
  components,
  knowledge,
  evaluations,
  operations,
  ...ofEndpoints
]

export const fields: Fields = Object.assign({}, ...groups)
