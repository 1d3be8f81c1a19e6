// What other libraries call an option, and what is no option here. Names count without case, `_` and `-`, and with a
// small misspelling.
import * as Misspelling from "@svc-runtime/domain/Misspelling"

/** By the option that is meant. A name can stand for several: those count that the component has. */
const meanings: Readonly<Record<string, string>> = {
  action: "strategy",
  agent: "executor",
  agents: "agent",
  allowed: "languages topics",
  authorization: "auth authentication",
  build: "callback create fn func function handler make run",
  choices: "branches routes",
  channels: "interfaces",
  component: "agent agentId target team workflow workflowId",
  concurrency: "maxConcurrency maxParallel parallelism",
  confirmation: "requireConfirmation requiresConfirmation humanApproval",
  cron: "cronExpr cronExpression every expression interval pattern schedule",
  databases: "database db storage",
  elseSteps: "else ifFalse otherwise",
  embedder: "embedding embeddingModel embeddings",
  endCondition: "condition stopCondition until while",
  evaluator: "condition evaluate if predicate when",
  exclude: "deniedTools excludeTools",
  execute: "callback fn func function handler run",
  fallbackModels: "fallbacks",
  folder: "dir directory files path",
  headers: "requestInit",
  hooks: "callbacks guardrails middleware onFinish onStepFinish prepareStep processors",
  include: "allowedTools includeTools toolFilter",
  inputSchema: "argsSchema callOptionsSchema input schema",
  instructions: "backstory goal persona prompt system systemPrompt",
  items: "each list over",
  max: "limit maxLength maximum",
  maxIterations: "maxCount maxRounds maxTurns",
  maxResults: "k numDocuments topK",
  mcp: "mcpServers",
  members: "agents subAgents",
  memory: "enableAgenticMemory enableUserMemories",
  min: "minLength minimum",
  mode: "delegateToAllMembers process respondDirectly",
  model: "languageModel llm supervisor supervisorModel",
  "modelSettings.maxOutputTokens": "maxCompletionTokens maxTokens",
  "modelSettings.reasoning": "reasoningEffort thinking thinkingBudget",
  "modelSettings.stopSequences": "stop",
  modelSettings: "defaultGenerateOptions defaultOptions generationConfig modelKwargs settings",
  maxOutputTokens: "maxTokens",
  method: "verb",
  name: "id",
  on: "applyTo phase stage",
  onError: "errorStrategy skipOnFailure",
  onlineScoring: "evals scorers",
  outputReview: "humanReview review",
  outputSchema: "experimentalOutput output outputType responseFormat responseModel schema structuredOutput",
  parameters: "args argsSchema input inputSchema schema",
  payload: "input inputData message prompt",
  postHooks: "outputGuardrails outputProcessors",
  preHooks: "inputGuardrails inputProcessors",
  refused: "banned blocked forbidden",
  requiresConfirmation: "confirm interrupt interruptOn needsApproval requireApproval requireConfirmation",
  retries: "maxRetries retryConfig",
  role: "handoffDescription",
  routes: "apiRoutes",
  run: "callback execute executor fn func function handler",
  runSchemas: "contextSchema requestContextSchema stateSchema",
  runTimeout: "timeout",
  searchHistory: "readChatHistory",
  selector: "route router select",
  sessionSummaries: "enableSessionSummaries",
  steps: "branches nodes then tasks",
  stopAfterCall: "returnDirect stopAfterToolCall",
  team: "crew",
  teams: "team",
  timezone: "tz",
  toolCallLimit: "maxSteps maxTurns recursionLimit stopWhen",
  tools: "functions mcpServers tool toolkits",
  types: "detectionTypes entities",
  url: "address endpoint server serverUrl uri",
  userInput: "requireUserInput requiresUserInput resumeSchema suspendSchema userInputSchema",
  workflows: "workflow"
}

const agentsOfAgent = "Make a team of them with Team.make, or a tool of each with ComponentTool.make"
const ofRun = "Give it to each run, as in agent.run({ message: …, session_id: … })"
const stored = "Leave it out: sessions and runs are stored by themselves"

/** What is no option, and what to do: where there is an option `beside` it. */
const elsewhere: ReadonlyArray<{ readonly beside: string; readonly names: string; readonly todo: string }> = [
  { beside: "instructions", names: "agents handoffs members subAgents workflows", todo: agentsOfAgent },
  { beside: "instructions", names: "sessionId sessionState threadId userId dependencies resourceId", todo: ofRun },
  { beside: "instructions", names: "checkpointer store storage", todo: stored },
  { beside: "instructions", names: "toolUseBehavior", todo: "Set stopAfterCall of a tool" },
  {
    beside: "instructions",
    names: "history messages",
    todo: "Runs of the same session_id have it with addHistoryToContext: true"
  },
  { beside: "externalExecution", names: "type", todo: "Write { name: …, parameters: …, execute: … } alone" },
  { beside: "externalExecution", names: "outputSchema", todo: "Leave it out: the result is any JSON" },
  { beside: "externalExecution", names: "toModelOutput", todo: "Return from execute what the model reads" },
  { beside: "externalExecution", names: "resumeSchema suspendSchema", todo: "Ask a person with pause() in execute" },
  {
    beside: "onError",
    names: "inputSchema outputSchema",
    todo: "The input of a step is the result of the one before it"
  },
  { beside: "streamExecutorEvents", names: "outputSchema", todo: "Its result is that of its last step" },
  { beside: "streamExecutorEvents", names: "retries", todo: "Give it to the steps" },
  {
    beside: "streamExecutorEvents",
    names: "cron schedule trigger",
    todo: "Give serve a schedule of it: { schedules: [ … ] }"
  },
  { beside: "quickPrompts", names: "factories", todo: "Put each into agents, teams or workflows, by what it makes" },
  { beside: "quickPrompts", names: "tools", todo: "Give them to the agents that call them" },
  { beside: "quickPrompts", names: "memory", todo: "Give it to an agent" },
  { beside: "quickPrompts", names: "db storage database", todo: "Set the variable DATABASE_URL of the environment" },
  { beside: "quickPrompts", names: "cors corsOrigins", todo: "Set the variable CORS_ORIGIN_LIST of the environment" },
  { beside: "quickPrompts", names: "logger logLevel", todo: "Set the variable LOG_LEVEL of the environment" },
  { beside: "connectTimeout", names: "transport", todo: "A url is called over HTTP, and a command is started" }
]

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

const split = (names: string): ReadonlyArray<string> => names.split(" ")

const targets = new Map<string, Array<string>>()
for (const [target, names] of Object.entries(meanings)) {
  for (const name of split(names)) targets.set(name, [...targets.get(name) ?? [], target])
}

type Find = (name: string, among: Iterable<string>) => string | undefined

const isSame = (left: string, right: string): boolean => plain(left) === plain(right)

const exact: Find = (name, among) => [...among].find((each) => isSame(each, name))

const misspelt: Find = (name, among) => Misspelling.meant(name, new Set(among))

const headOf = (target: string): string => target.split(".")[0] ?? target

const written = (target: string): string => {
  const [option, inner] = target.split(".")
  return `Write ${option}: { ${inner}: … }`
}

interface Known {
  readonly names: ReadonlySet<string>
  /** Those within them, such as `modelSettings.temperature`. */
  readonly inner: ReadonlyMap<string, ReadonlySet<string>>
}

const byMeaning = (name: string, { names }: Known, find: Find): string | undefined => {
  const foreign = find(name, targets.keys())
  const meant = (foreign === undefined ? [] : targets.get(foreign) ?? []).filter((target) => names.has(headOf(target)))
  const [first, second] = meant
  if (first === undefined) return undefined
  if (first.includes(".")) return written(first)
  return `Did you mean '${first}'${second === undefined ? "" : ` or '${second}'`}?`
}

const byPlace = (name: string, { names }: Known, find: Find): string | undefined =>
  elsewhere.find(({ beside, names: others }) => names.has(beside) && find(name, split(others)) !== undefined)?.todo

const within = (name: string, { inner }: Known): string | undefined => {
  const found = [...inner].flatMap(([option, names]) => {
    const meant = exact(name, names) ?? misspelt(name, names)
    return meant === undefined ? [] : [`${option}.${meant}`]
  })
  return found.length === 1 && found[0] !== undefined ? written(found[0]) : undefined
}

const ofOwn = (name: string, { names }: Known, find: Find): string | undefined => {
  const own = find(name, names)
  return own === undefined ? undefined : `Did you mean '${own}'?`
}

/** What to write for an option that is not there. Undefined: it is not known what was meant. */
export const todoFor = (name: string, known: Known): string | undefined =>
  ofOwn(name, known, exact) ?? byMeaning(name, known, exact) ?? byPlace(name, known, exact) ??
    ofOwn(name, known, misspelt) ?? within(name, known) ?? byMeaning(name, known, misspelt) ??
    byPlace(name, known, misspelt)
