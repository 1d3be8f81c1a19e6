// An assistant that answers from the documents of a folder, and names its sources. It works without a key:
//
//   curl localhost:7777/agents/guide/runs -d stream=false -d 'message=How many days of holiday do we have?'
//
// Documents that were not changed are not processed again after a restart.
import { Agent, Knowledge, serve } from "@svc-runtime/server"

export const handbook = Knowledge.make({
  name: "handbook",
  description: "How we work",
  folder: new URL("../documents/", import.meta.url)
})

export const guide = Agent.make({
  id: "guide",
  instructions: "Answer from the knowledge base only, and name the document.",
  knowledge: handbook
})

if (import.meta.main) serve({ agents: [guide] })
