// All operations of the API.
import type { Operations } from "../Operation.ts"
import { components } from "./components.ts"
import { data } from "./data.ts"
import { evaluations } from "./evaluations.ts"
import { operating } from "./operating.ts"
import { runs } from "./runs.ts"

export const operations: Operations = { ...runs, ...data, ...evaluations, ...components, ...operating }
