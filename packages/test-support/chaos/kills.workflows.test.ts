import { killedWherever } from "./killedWherever.ts"
import * as Subjects from "./Subjects.ts"

killedWherever("workflow", {
  subject: Subjects.workflow,
  least: 88,
  decided: [
    ["pay.before.1", "resume.during.1"],
    ["pay.before.1", "pay.during.1"],
    ["pay.before.2", "finish.during.1"],
    ["pay.before.3", "pay.during.1"],
    ["pay.end.4", "record.during.1"],
    ["pay.before.6", "pay.during.1"]
  ]
})
