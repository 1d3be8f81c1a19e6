import { assert, it } from "@effect/vitest"
import { setFlagsFromString } from "node:v8"
import { runInThisContext } from "node:vm"
import * as Agent from "../../src/agent/define/Agent.ts"
import * as Team from "../../src/team/Team.ts"

it("V8 keeps the fields of an agent or a team in places, and not as a table, because each run reads them", () => {
  const agent = Agent.define({ id: "assistant" }, [])
  const team = Team.define({ id: "team", members: [agent] }, [])
  setFlagsFromString("--allow-natives-syntax")
  const isFast = runInThisContext("(object) => %HasFastProperties(object)")
  const found = [agent, team, team.leader].map((component) => isFast(component))
  setFlagsFromString("--no-allow-natives-syntax")
  assert.deepStrictEqual(found, [true, true, true])
})
