// An assistant that answers from the documents of a folder, and names its sources. It works without a key:
//
//   curl localhost:7777/agents/guide/runs -d stream=false -d 'message=How many days of holiday do we have?'
//
// Documents that were not changed are not processed again after a restart.
import { Agent, Knowledge, serve } from "@svc-runtime/server"
import { readdir, readFile } from "node:fs/promises"
import { setTimeout } from "node:timers/promises"

export const handbook = Knowledge.make({ name: "handbook", description: "How we work" })

export const guide = Agent.make({
  id: "guide",
  instructions: "Answer from the knowledge base only, and name the document.",
  knowledge: handbook
})

const folder = new URL("../documents/", import.meta.url)

const untilReady = async (service: string) => {
  while (!await fetch(`${service}/ready`).then(({ ok }) => ok, () => false)) await setTimeout(200)
}

/** Uploads each file of a folder. */
const uploadFolder = async (service: string) => {
  await untilReady(service)
  for (const name of await readdir(folder)) {
    const body = new FormData()
    body.append("file", new File([await readFile(new URL(name, folder))], name))
    const answer = await fetch(`${service}/knowledge/content`, { method: "POST", body })
    if (!answer.ok) throw new Error(`${name} was refused: ${await answer.text()}`)
  }
}

if (import.meta.main) {
  serve({ agents: [guide] })
  await uploadFolder(`http://127.0.0.1:${process.env["PORT"] ?? 7777}`)
}
