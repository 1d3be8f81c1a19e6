// The blocks of docs/guides/tools.md.
// #region
import { Tool } from "@svc-runtime/server"
import { z } from "zod"

const exchangeRate = Tool.make({
  name: "exchange_rate",
  description: "The exchange rate between two currencies",
  parameters: z.object({ from: z.string(), to: z.string() }),
  effects: "read",
  timeout: "5 seconds",
  retries: 2,
  exponentialBackoff: true,
  concurrency: 10,
  execute: async ({ from, to }, { signal }) => {
    const response = await fetch(`https://rates.example/${from}/${to}`, { signal })
    if (!response.ok) throw new Error(`The rates answered ${response.status}`)
    return response.json()
  }
})
// #endregion

declare const tickets: { readonly currentToken: () => Promise<string> }

// #region
import { Agent, McpTools } from "@svc-runtime/server"

const helper = Agent.make({
  id: "helper",
  tools: [
    McpTools.make({
      name: "tickets",
      url: "https://tickets.example/mcp",
      token: () => tickets.currentToken(),
      prefix: "tickets_",
      include: ["search", "close"],
      effects: { search: "read" },
      requiresConfirmation: ["close"]
    }),
    McpTools.make({
      name: "files",
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/files"]
    })
  ]
})
// #endregion

// #region
McpTools.make({ name: "digest", url: "https://digest.example/mcp", sampling: { maxTokens: 1000 } })
// #endregion

// #region
import { AiSdkTool } from "@svc-runtime/server"
import { tool } from "ai"

const weather = AiSdkTool.make(
  "weather",
  tool({
    description: "The weather of a city",
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => `It is sunny in ${city}`
  }),
  { effects: "read" }
)
// #endregion

// #region
import { openai } from "@ai-sdk/openai"
import { ProviderTool } from "@svc-runtime/server"

const researcher = Agent.make({
  id: "researcher",
  model: "openai:gpt-5",
  tools: [ProviderTool.make("web_search", openai.tools.webSearch())]
})
// #endregion

// #region
import { Toolkit } from "@svc-runtime/server"

const reader = Agent.make({
  id: "reader",
  tools: [
    Toolkit.calculator(),
    Toolkit.currentTime({ timezone: "Europe/Berlin" }),
    Toolkit.httpFetch({ maxBytes: 200_000 }),
    ...Toolkit.fileSystem({ root: "/srv/handbook" }),
    Toolkit.sleep({ longest: "30 days" }),
    Toolkit.sqlQuery({ url: "postgres://reader@db.example/shop", maxRows: 50 })
  ]
})
// #endregion

// #region
import { ComponentTool } from "@svc-runtime/server"

const translator = Agent.make({ id: "translator", role: "Translates texts into plain English" })
const proofreader = Agent.make({
  id: "proofreader",
  role: "Corrects a text",
  inputSchema: z.object({ text: z.string(), language: z.string() })
})

const editor = Agent.make({
  id: "editor",
  tools: [
    ComponentTool.make({ component: translator, maxCalls: 3 }),
    ComponentTool.make({ component: proofreader, name: "proofread", requiresConfirmation: true })
  ]
})
// #endregion

// #region
import { serve } from "@svc-runtime/server"

const analyst = Agent.make({ id: "analyst", role: "Researches for some minutes" })

const assistant = Agent.make({
  id: "assistant",
  addHistoryToContext: true,
  tools: [ComponentTool.make({ component: analyst, background: { limit: 3, timeout: "30 minutes" } })]
})

serve({ agents: [assistant, analyst] })
// #endregion

// #region
import { generateImage } from "ai"

const paint = Tool.make({
  name: "paint",
  description: "Makes an image of what is described",
  parameters: z.object({ description: z.string() }),
  execute: async ({ description }, { signal }) => {
    const model = openai.image("gpt-image-1")
    const { image } = await generateImage({ model, prompt: description, abortSignal: signal })
    return Tool.withMedia("The image is made.", [{ bytes: image.uint8Array, mediaType: image.mediaType }])
  }
})
// #endregion

export { editor, exchangeRate, helper, paint, reader, researcher, weather }
