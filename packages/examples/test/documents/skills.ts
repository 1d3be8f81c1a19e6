// #region
import { Agent, Skills } from "@svc-runtime/server"

export const clerk = Agent.make({
  id: "clerk",
  instructions: "Answer customers.",
  skills: [...Skills.fromFolder("./skills"), "complaints"]
})
// #endregion
