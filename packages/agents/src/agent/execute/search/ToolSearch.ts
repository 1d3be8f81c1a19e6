// Of many tools the model gets a few, and one with which it finds the others. What it has found joins its requests from
// then on, at the end: providers cache what comes before. The messages of a run and of its session say what was found,
// so a resumed run, a fork and a later turn have the same tools in the same order. All tools can be called at any time.
import type * as Message from "@svc-runtime/domain/Message"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Effect, Predicate } from "effect"
import type { Agent } from "../../define/Agent.ts"
import * as ToolRanking from "./ToolRanking.ts"

export const toolName = "search_tools"

/** Found by one search at most. */
const maxResults = 10

/** Found tools that requests have, the latest ones. Those found before can still be called. */
const maxFound = 50

/** A server with at most so many tools comes as a whole: they belong together. */
const smallSource = 3

/** Without `always`, so many tools that are no server's are always shown. */
const fewTools = 10

/** Of an agent without `maxContextTokens`. */
const contextTokens = 128_000

const charactersPerToken = 4

/** Of a description in a result: the requests that follow have the whole one. */
const shownDescription = 120

const sizes = new WeakMap<Tool.Tool, number>()

/** About the tokens that its definition takes. */
const tokensOf = (tool: Tool.Tool): number => {
  const known = sizes.get(tool)
  if (known !== undefined) return known
  const { description = "", name, parameters } = tool
  const tokens = Math.ceil((name.length + description.length + JSON.stringify(parameters).length) / charactersPerToken)
  sizes.set(tool, tokens)
  return tokens
}

/** The sources of tools, by the names of the tools. */
export type Sources = ReadonlyMap<string, string>

const isMany = ({ maxContextTokens = contextTokens, toolSearch, tools }: Agent): boolean => {
  if (toolSearch === undefined) return false
  if (tools.size > toolSearch.above) return true
  let left = maxContextTokens * toolSearch.share
  for (const tool of tools.values()) {
    left -= tokensOf(tool)
    if (left < 0) return true
  }
  return false
}

const deferredOf = (agent: Agent, sources: Sources): ToolRanking.Deferred["candidates"] => {
  const { toolChoice, toolSearch, tools } = agent
  const candidates = new Map<string, ToolRanking.Candidate>()
  if (toolSearch === undefined) return candidates
  const { always, own } = toolSearch
  const isAlways = (name: string, source: string | undefined) =>
    always === undefined
      ? source === undefined && own.size <= fewTools
      : always.has(name) || (source !== undefined && always.has(source))
  for (const tool of tools.values()) {
    const source = sources.get(tool.name)
    const isGiven = source !== undefined || own.has(tool.name)
    const isChosen = Predicate.isObject(toolChoice) && toolChoice.tool === tool.name
    if (isGiven && !isChosen && !isAlways(tool.name, source)) candidates.set(tool.name, { tool, source })
  }
  return candidates
}

const oneLine = (text: string, limit: number): string => {
  const line = text.slice(0, 4 * limit).replaceAll(/\s+/g, " ").trim()
  return line.length > limit ? `${line.slice(0, limit - 3)}...` : line
}

const lineOf = ({ tool }: ToolRanking.Candidate): string =>
  `- ${tool.name}: ${oneLine(tool.description ?? "", shownDescription)}`

/** The servers of the deferred tools, as a hint for the model. */
const sourcesLine = (candidates: ToolRanking.Deferred["candidates"]): string => {
  const names = new Set([...candidates.values()].flatMap(({ source }) => source ?? []))
  if (names.size === 0) return ""
  const shown = [...names].slice(0, 30).map((name) => oneLine(name, 40))
  return ` They are of: ${shown.join(", ")}${names.size > shown.length ? " and others" : ""}.`
}

/** The other tools of the servers of the best tools, if they are few. */
const withNeighbours = (
  candidates: ToolRanking.Deferred["candidates"],
  found: ReadonlyArray<ToolRanking.Candidate>
): ReadonlyArray<ToolRanking.Candidate> => {
  const [source] = found.map((each) => each.source)
  if (source === undefined) return found
  const neighbours = [...candidates.values()].filter((each) => each.source === source)
  return neighbours.length > smallSource ? found : [...new Set([...found, ...neighbours])]
}

const nothing = "No tool was found. Search again with other words for what the tool does."

const found = Effect.fnUntraced(function*(candidates: ToolRanking.Deferred["candidates"], query: string) {
  const best = yield* ToolRanking.best([...candidates.values()], query, maxResults)
  if (best.length === 0) return `${nothing}${sourcesLine(candidates)}`
  return [
    "You can call these tools from now on. If none of them fits, search again with other words:",
    ...withNeighbours(candidates, best).map(lineOf)
  ].join("\n")
})

const searchTool = (candidates: ToolRanking.Deferred["candidates"]): Tool.Tool =>
  Tool.make({
    name: toolName,
    description:
      `Finds tools. Beside the tools that you see there are ${candidates.size} others.${
        sourcesLine(candidates)
      } Before you say that you cannot do something, search for a tool that does it. What is found can be called from ` +
      "then on.",
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          description: "What the tool does, as the name of a function says it, with other words for the same: " +
            `"list invoices bills of a customer"`
        }
      },
      required: ["query"]
    },
    effects: "read",
    execute: ({ query }) => found(candidates, typeof query === "string" ? query.slice(0, 1000) : "")
  })

/**
 * The agent of a run with its many tools deferred. Unchanged if it has few, or if a tool of it has the name of the
 * search.
 */
export const deferring = (agent: Agent, sources: Sources): Agent => {
  if (agent.tools.has(toolName) || !isMany(agent)) return agent
  const candidates = deferredOf(agent, sources)
  if (candidates.size === 0) return agent
  return {
    ...agent,
    tools: new Map([...agent.tools, [toolName, searchTool(candidates)] as const]),
    deferred: { candidates }
  }
}

const listed = /^- ([a-zA-Z0-9_-]{1,64}):/gm

const namesIn = ({ content, role, tool_calls = [], tool_name }: Message.Message): ReadonlyArray<string> =>
  role === "tool" && tool_name === toolName && typeof content === "string"
    ? [...content.matchAll(listed)].map(([, name = ""]) => name)
    : tool_calls.map((call) => call.function.name)

/** What the messages say was found or called, in their order. */
export const foundIn = (
  { candidates }: ToolRanking.Deferred,
  messages: ReadonlyArray<Message.Message>
): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const message of messages) for (const name of namesIn(message)) if (candidates.has(name)) names.add(name)
  return [...names].slice(-maxFound)
}
