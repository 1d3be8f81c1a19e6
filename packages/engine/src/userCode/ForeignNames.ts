// What other libraries call an option or a method, and what is none here. Names count without case, `_` and `-`, and
// with a small misspelling.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import { Mistake } from "./Mistake.ts"

const agentsOfAgent = "Make a team of them with Team.make, or a tool of each with ComponentTool.make"
const ofRun = "Give it to each run, as in agent.run({ message: …, session_id: … })"
const stored = "Leave it out: sessions and runs are stored by themselves"
const toolsOfRun = "An AgentFactory builds an agent with the tools of each run"

/** Stands for the methods of a component. `call` and `then` are no rows of it: tools and promises are known by them. */
const methods = "run()"

/**
 * An option, and the other names of what it is. With a sentence, they are no names of it: the option says only where
 * the sentence counts. A name can stand for several options: those count that the component has.
 */
const rows: ReadonlyArray<readonly [option: string, names: string, todo?: string]> = [
  ["action", "strategy"],
  ["afterModel", "onLlmEnd processOutputStep processOutputStream wrapGenerate wrapModelCall wrapStream"],
  ["afterRun", "afterAgent onAgentEnd onEnd onFinish onRunEnd processOutputResult"],
  ["afterTool", "onToolEnd wrapToolCall"],
  ["agent", "executor"],
  ["agents", "agent"],
  ["allowed", "languages topics"],
  ["authorization", "auth authentication"],
  ["amount", "limit max maxCost maximum"],
  ["beforeModel", "onLlmStart processInputStep transformParams wrapGenerate wrapModelCall wrapStream"],
  ["beforeRun", "beforeAgent onAgentStart onRunStart onStart processInput"],
  [
    "beforeRun",
    "check execute guard handler invoke validate",
    "Write beforeRun to check the input, and afterRun for the answer"
  ],
  ["beforeTool", "onToolStart wrapToolCall"],
  ["build", "callback create fn func function handler make run"],
  ["choices", "branches routes"],
  ["channels", "interfaces"],
  ["component", "agent agentId target team workflow workflowId"],
  ["concurrency", "maxConcurrency maxParallel parallelism"],
  ["confirmation", "requireConfirmation requiresConfirmation humanApproval"],
  ["confirmation.onReject", "onReject"],
  ["cron", "cronExpr cronExpression every expression interval pattern schedule"],
  ["effects", "idempotent sideEffects"],
  ["elseSteps", "else ifFalse otherwise"],
  ["embedder", "embedding embeddingModel embeddings"],
  ["endCondition", "condition stopCondition until while"],
  ["evaluator", "condition evaluate if predicate when"],
  ["exclude", "deniedTools excludeTools"],
  ["execute", "callback fn func function handler invoke run"],
  ["fallbackModels", "fallbacks"],
  ["folder", "dir directory files path"],
  ["headers", "requestInit"],
  [
    "hooks",
    "callbacks guardrails inputGuardrails inputProcessors middleware onFinish onStepFinish outputGuardrails " +
    "outputProcessors prepareStep processors"
  ],
  ["include", "allowedTools includeTools toolFilter"],
  ["inputSchema", "argsSchema callOptionsSchema input schema"],
  ["instructions", "backstory goal persona prompt system systemPrompt"],
  ["items", "each list over"],
  ["max", "limit maxLength maximum"],
  ["maxIterations", "maxCount maxRounds maxTurns"],
  ["maxResults", "k numDocuments topK"],
  ["mcp", "mcpServers"],
  ["members", "agents subAgents"],
  ["memory", "enableAgenticMemory enableUserMemories"],
  ["min", "minLength minimum"],
  ["mode", "delegateToAllMembers process respondDirectly"],
  ["model", "languageModel llm supervisor supervisorModel"],
  ["modelSettings.maxOutputTokens", "maxCompletionTokens maxTokens"],
  ["modelSettings.reasoning", "reasoningEffort thinking thinkingBudget"],
  ["modelSettings.stopSequences", "stop"],
  ["modelSettings", "defaultGenerateOptions defaultOptions generationConfig modelKwargs settings"],
  ["maxOutputTokens", "maxTokens"],
  ["method", "verb"],
  ["name", "id"],
  ["on", "applyTo phase stage"],
  ["onError", "errorStrategy skipOnFailure"],
  ["onlineScoring", "evals scorers"],
  ["outputReview", "humanReview review"],
  ["outputSchema", "experimentalOutput output outputType responseFormat responseModel schema structuredOutput"],
  ["parameters", "args argsSchema input inputSchema schema"],
  ["payload", "input inputData message prompt"],
  ["question", "message"],
  ["refused", "banned blocked forbidden"],
  [
    "requiresConfirmation",
    "confirm confirmation interrupt interruptOn needsApproval requireApproval requireConfirmation"
  ],
  ["requiresUserInput", "userInput"],
  ["retries", "maxRetries retry retryConfig"],
  ["role", "handoffDescription"],
  ["root", "dir directory folder path"],
  ["routes", "apiRoutes"],
  ["run", "callback execute executor fn func function handler"],
  ["runSchemas", "contextSchema requestContextSchema stateSchema"],
  ["runTimeout", "timeout"],
  ["searchHistory", "readChatHistory"],
  ["selector", "route router select"],
  ["sessionSummaries", "enableSessionSummaries"],
  ["steps", "branches nodes then tasks"],
  ["stopAfterCall", "returnDirect stopAfterToolCall"],
  ["team", "crew"],
  ["teams", "team"],
  ["timezone", "tz"],
  ["toolCallLimit", "maxSteps maxTurns recursionLimit stopWhen"],
  ["tools", "functions tool toolkits"],
  ["types", "detectionTypes entities"],
  ["url", "address endpoint server serverUrl uri"],
  ["userInput", "form requireUserInput requiresUserInput resumeSchema suspendSchema userInputSchema"],
  ["workflows", "workflow"],
  ["addHistoryToContext", "agents handoffs members subAgents workflows", agentsOfAgent],
  ["addHistoryToContext", "context session sessionId sessionState threadId userId dependencies resourceId", ofRun],
  ["addHistoryToContext", "checkpointer database store storage", stored],
  ["addHistoryToContext", "budget budgets", "Give serve a budget of it: { budgets: [ … ] }"],
  ["addHistoryToContext", "toolUseBehavior", "Set stopAfterCall of a tool"],
  ["addHistoryToContext", "history messages", "Runs of the same session_id have it with addHistoryToContext: true"],
  ["addHistoryToContext", "mcp mcpServers", "Write tools: [ McpTools.make({ … }) ]"],
  [
    "elicitation",
    "servers mcpServers",
    "Each server is one of its own: [ McpTools.make({ … }), McpTools.make({ … }) ]"
  ],
  [
    "addHistoryToContext",
    "experimentalTelemetry instrumentation telemetry tracing",
    "Leave it out: each run has a trace"
  ],
  ["addHistoryToContext", "audio speech voice", "Give the sound to each run, as a file"],
  ["addHistoryToContext", "activeTools toolsets", toolsOfRun],
  [
    "addHistoryToContext",
    "approval confirmation humanInTheLoop interruptAfter interruptBefore needsApproval requireApproval " +
    "requireToolApproval requiresConfirmation",
    "Set requiresConfirmation of the tools that wait for a person"
  ],
  [
    "addHistoryToContext",
    "debug debugLevel debugMode verbose",
    "Set the variable LOG_LEVEL of the environment to Debug"
  ],
  ["addHistoryToContext", "showToolCalls", "Leave it out: the events of each run have its calls"],
  [
    "addHistoryToContext",
    "apiKey",
    "Set the variable of its provider, such as OPENAI_API_KEY, or give model one of the AI SDK"
  ],
  ["externalExecution", "type", "Write { name: …, parameters: …, execute: … } alone"],
  ["externalExecution", "editable", "Leave it out: who confirms a call can edit its arguments"],
  ["externalExecution", "outputSchema", "Leave it out: the result is any JSON"],
  ["externalExecution", "toModelOutput", "Return from execute what the model reads"],
  ["externalExecution", "resumeSchema suspendSchema", "Ask a person with pause() in execute"],
  ["externalExecution", "enabled isEnabled", toolsOfRun],
  [
    "externalExecution",
    "errorFunction failureErrorFunction",
    "Throw new Tool.ToolFailed({ message: … }) in execute: the model reads it"
  ],
  ["onError", "inputSchema outputSchema", "The input of a step is the result of the one before it"],
  ["onError", "sleep waitFor waitForEvent", "Call it in run, as in run: ({ sleep, waitFor }) => …"],
  ["streamExecutorEvents", "outputSchema", "Its result is that of its last step"],
  ["streamExecutorEvents", "retries", "Give it to the steps"],
  ["streamExecutorEvents", "cron schedule trigger", "Give serve a schedule of it: { schedules: [ … ] }"],
  ["streamExecutorEvents", "branch conditions", "Write Condition.make({ … }) or Router.make({ … }) among its steps"],
  ["streamExecutorEvents", "doUntil doWhile loop", "Write Loop.make({ … }) among its steps"],
  ["streamExecutorEvents", "foreach", "Write ForEach.make({ … }) among its steps"],
  ["streamExecutorEvents", "parallel", "Write Parallel.make({ … }) among its steps"],
  ["streamExecutorEvents", "edges", "Leave it out: steps follow each other as they are listed"],
  ["streamExecutorEvents", "interruptAfter interruptBefore", "Set confirmation of the steps that wait for a person"],
  ["quickPrompts", "factories", "Put each into agents, teams or workflows, by what it makes"],
  ["quickPrompts", "guardrails", "Give them to the agents, as in hooks: [ … ]"],
  ["quickPrompts", "tools", "Give them to the agents that call them"],
  ["quickPrompts", "memory", "Give it to an agent"],
  ["quickPrompts", "db storage database", "Set the variable DATABASE_URL of the environment"],
  ["quickPrompts", "cors corsOrigins", "Set the variable CORS_ORIGIN_LIST of the environment"],
  ["quickPrompts", "logger logLevel", "Set the variable LOG_LEVEL of the environment"],
  ["catchUp", "disabled enabled", "Leave the schedule out while it does not run"],
  ["connectTimeout", "transport", "A url is called over HTTP, and a command is started"],
  [
    "contextTokens",
    "lastMessages semanticRecall threads workingMemory",
    "Set addHistoryToContext and numHistoryRuns of the agent"
  ],
  ["sendReasoning", "toolChoice", "It is an option of the agent: write it beside modelSettings"],
  [
    "run()",
    "arun ask batch chat createRun createRunAsync generate generateLegacy generateText generateVNext invoke kickoff " +
    "network printResponse print_response streamEvents streamLegacy streamText streamVNext",
    "Write run(…), or stream(…) for its events"
  ],
  ["session_id", "chatId conversation conversationId thread threadId"],
  ["session_id", "maxSteps maxTurns recursionLimit stopWhen toolCallLimit", "Set toolCallLimit of the agent"],
  ["user_id", "resource resourceId"],
  ["run()", "asTool as_tool toTool", "Write ComponentTool.make({ component: … })"],
  ["run()", "commit compile", "Leave it out: make has all that it needs"],
  [
    "run()",
    "addConditionalEdges addEdge addNode addStep add_edge add_node branch dountil dowhile foreach",
    "Give make all steps: { id: …, steps: [ … ] }"
  ],
  ["run()", "resume", "Write continue(…)"],
  ["run()", "resumeStream", "Write continueStream(…)"],
  ["run()", "sendEvent", "Write send(run, event) of the client"]
]

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

const split = (names: string): ReadonlyArray<string> => names.split(" ")

/** The methods that other libraries give components. */
const foreignMethods: ReadonlyArray<string> = rows.flatMap(([option, names]) => option === methods ? split(names) : [])

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

const byRows = (name: string, { names: own }: Known, find: Find): string | undefined => {
  const found = rows.filter(([option, names]) => own.has(headOf(option)) && find(name, split(names)) !== undefined)
  const [first, second] = found.flatMap(([option, , todo]) => todo === undefined ? [option] : [])
  if (first === undefined) return found[0]?.[2]
  if (first.includes(".")) return written(first)
  return `Did you mean '${first}'${second === undefined ? "" : ` or '${second}'`}?`
}

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
  ofOwn(name, known, exact) ?? byRows(name, known, exact) ?? ofOwn(name, known, misspelt) ?? within(name, known) ??
    byRows(name, known, misspelt)

/** The same for a method that components do not have. */
const todoForMethod = (name: string): string =>
  byRows(name, { names: new Set([methods]), inner: new Map() }, exact) ?? "Write run(…)"

/** Gives an object these methods: each throws what to write. They are no properties that it is read or copied by. */
export const refuseMethods = <Self extends object>(target: Self, named: (self: Self) => string): Self => {
  for (const method of foreignMethods) {
    if (method in target) continue
    const value = function(this: Self): never {
      throw new Mistake(`${named(this)} has no method '${method}'. ${todoForMethod(method)}`)
    }
    // it can get a method of its own of this name
    Object.defineProperty(target, method, { value, writable: true, configurable: true })
  }
  return target
}
