// Summaries of sessions, and the search in past ones.
import * as Feature from "../Feature.ts"

export const summaries = Feature.make({
  name: "summaries",
  groups: [],
  load: () => import("./live.ts")
})
