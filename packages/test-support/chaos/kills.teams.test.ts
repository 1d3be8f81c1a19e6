import { killedWherever } from "./killedWherever.ts"
import * as Subjects from "./Subjects.ts"

killedWherever("team", {
  subject: Subjects.team,
  least: 68,
  decided: [
    ["pay.before.1", "resume.during.1"],
    ["pay.before.1", "pay.during.1"],
    ["pay.end.2", "record.during.1"],
    ["pay.before.3", "pay.during.1"]
  ]
})
