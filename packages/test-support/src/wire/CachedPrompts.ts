// What providers have cached of the prompts of requests, counted as they count. Anthropic caches at the marks of a
// request, and finds the marks of earlier ones; OpenAI finds the longest beginning that it has seen.

export interface Counted {
  /** All input tokens. */
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

type Body = Readonly<Record<string, unknown>>

/** Shorter prompts are not cached. */
const least = 1024

const tokensOf = (text: string): number => Math.ceil(text.length / 4)

const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** A part of a request, in the order in which the provider reads it. */
interface Block {
  readonly text: string
  readonly isMarked: boolean
}

const blockOf = (value: unknown, place: string): Block => {
  const { cache_control, ...rest } = Object(value) as Body
  return { text: `${place} ${JSON.stringify(rest)}`, isMarked: cache_control !== undefined }
}

const blocksIn = (place: string, content: unknown): ReadonlyArray<Block> =>
  typeof content === "string"
    ? [blockOf({ type: "text", text: content }, place)]
    : list(content).map((block) => blockOf(block, place))

/** The parts of a request to Anthropic. Another choice of tools makes other messages. */
export const anthropicBlocks = (body: Body): ReadonlyArray<Block> => [
  ...list(body["tools"]).map((tool) => blockOf(tool, "tool")),
  ...blocksIn("system", body["system"]),
  ...list(body["messages"]).flatMap((message) => {
    const { content, role } = Object(message) as Body
    return blocksIn(`${JSON.stringify(body["tool_choice"])} ${String(role)}`, content)
  })
]

/** Anthropic's cache of one workspace. */
export const anthropic = () => {
  const known = new Set<string>()
  return (body: Body): Counted => {
    const blocks = anthropicBlocks(body)
    const marks = blocks.flatMap(({ isMarked }, index) => isMarked ? [index] : [])
    if (marks.length > 4) throw new Error(`A request has ${marks.length} marks`)
    const prefixes: Array<{ readonly key: string; readonly tokens: number }> = []
    let [key, tokens] = ["", 0]
    for (const { text } of blocks) {
      key += `${text}\n`
      tokens += tokensOf(text)
      prefixes.push({ key, tokens })
    }
    const found = marks.flatMap((mark) =>
      prefixes.slice(Math.max(0, mark - 20), mark + 1).filter(({ key }) => known.has(key))
    )
    const cacheRead = Math.max(0, ...found.map(({ tokens }) => tokens))
    const written = marks.flatMap((mark) => prefixes[mark] ?? []).filter(({ tokens }) => tokens >= least)
    for (const { key } of written) known.add(key)
    const cached = Math.max(cacheRead, ...written.map(({ tokens }) => tokens))
    return { input: tokens, cacheRead, cacheWrite: cached - cacheRead }
  }
}

const isInstruction = (item: unknown): boolean => ["system", "developer"].includes(String(Object(item).role))

/** The text of a request to OpenAI, whose models may read the tools first or the instructions. */
export const openAiText = (body: Body, first: "instructions" | "tools" = "tools"): string => {
  const items = [...list(body["messages"]), ...list(body["input"])]
  const [tools, instructions] = [list(body["tools"]), [body["instructions"], ...items.filter(isInstruction)]]
  const beginning = first === "tools" ? [...tools, ...instructions] : [...instructions, ...tools]
  return [...beginning, ...items.filter((item) => !isInstruction(item))].map((item) => JSON.stringify(item)).join("\n")
}

const common = (left: string, right: string): number => {
  let index = 0
  while (index < left.length && left[index] === right[index]) index++
  return index
}

/** OpenAI's cache. It needs no marks, and counts in steps. */
export const openAi = (first: "instructions" | "tools") => () => {
  const known: Array<string> = []
  return (body: Body): Counted => {
    const text = openAiText(body, first)
    const length = Math.max(0, ...known.map((earlier) => common(earlier, text)))
    known.push(text)
    const cached = Math.floor(Math.floor(length / 4) / 128) * 128
    return { input: tokensOf(text), cacheRead: cached < least ? 0 : cached, cacheWrite: 0 }
  }
}
