// The service of the test: the agent of this project, with a model that first calls the tool and then answers.
import { serve } from "@svc-runtime/server"
import { assistant } from "../src/assistant.ts"
import { scriptedModel } from "./scriptedModel.ts"

const model = scriptedModel([
  { tool: "weather", input: { city: "Paris" } },
  { text: "Take your sunglasses." }
])

serve({ agents: [assistant(model)] })
