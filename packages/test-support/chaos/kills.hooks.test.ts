import { killedWherever } from "./killedWherever.ts"
import * as Subjects from "./Subjects.ts"

killedWherever("hooked agent", {
  subject: Subjects.guardedAgent,
  least: 20,
  decided: [
    ["pay.before.1", "resume.during.1"],
    ["pay.before.1", "aftertool.hook.1"],
    ["pay.end.1", "aftermodel.hook.1"]
  ]
})
