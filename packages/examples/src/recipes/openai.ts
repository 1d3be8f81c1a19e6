// # Call an agent with the SDK of OpenAI
// Pages and servers
//
// Each agent, team and workflow is a model under `/v1`. Programs and tools that speak this API need only another
// address.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   curl -s localhost:7777/v1/models
//
// Change: `model: "teams/desk"` names a team. `svc` needs a token as `apiKey` if it is closed.
import OpenAI from "openai"

export const ask = async (url: string, question: string) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: process.env["SVC_TOKEN"] ?? "none" })
  const completion = await client.chat.completions.create({
    model: "assistant",
    messages: [{ role: "user", content: question }]
  })
  return completion.choices[0]?.message.content
}

if (import.meta.main) console.log(await ask("http://127.0.0.1:7777", "Hello"))
