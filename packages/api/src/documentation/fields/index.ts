// All fields. A name is described in one of the files.
import type { Fields } from "../Field.ts"
import { common } from "./common.ts"
import { components } from "./components.ts"
import { evaluations } from "./evaluations.ts"
import { events } from "./events.ts"
import { knowledge } from "./knowledge.ts"
import { operations } from "./operations.ts"
import { pauses } from "./pauses.ts"
import { runs } from "./runs.ts"

export const groups = { common, runs, events, pauses, components, knowledge, evaluations, operations }

export const fields: Fields = Object.assign({}, ...Object.values(groups))
